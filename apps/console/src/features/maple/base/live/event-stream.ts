/** One event of a stream of server-sent events (WHATWG HTML, 9.2.6). */
export interface StreamEvent {
  event: string
  data: string
  /** The ID of the last event that had one: where to resume. */
  id: string
}

/**
 * Parses events from the text of a stream, however it is chunked. `EventSource` cannot send a token,
 * so the stream is read with `fetch`. A comment, such as a heartbeat, is not an event.
 */
export function createEventReader() {
  let rest = ''
  let id = ''
  let event = ''
  let data: string[] = []
  let isAfterReturn = false

  const end = (): StreamEvent[] => {
    const found = data.length > 0 ? [{ event: event || 'message', data: data.join('\n'), id }] : []
    event = ''
    data = []
    return found
  }
  const take = (line: string): StreamEvent[] => {
    if (line === '') return end()
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
    return []
  }

  return (text: string): StreamEvent[] => {
    // CR and LF of one line end may arrive in separate chunks.
    const whole = rest + (isAfterReturn && text.startsWith('\n') ? text.slice(1) : text)
    if (text !== '') isAfterReturn = text.endsWith('\r')
    const lines = whole.split(/\r\n|\r|\n/)
    rest = lines.pop() ?? ''
    return lines.flatMap(take)
  }
}
