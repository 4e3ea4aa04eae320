/**
 * The part of a terminal's input that is needed; Node's types may be missing where this is compiled.
 */
export interface TerminalInput {
  isTTY?: boolean
  setRawMode?: (isRaw: boolean) => unknown
  setEncoding: (encoding: 'utf8') => unknown
  resume: () => unknown
  pause: () => unknown
  on: (event: 'data', listener: (text: string) => void) => unknown
  off: (event: 'data', listener: (text: string) => void) => unknown
}

/** Asks for a password without showing it; null if the person gives up (Ctrl-C, Ctrl-D). */
export function askPassword(
  input: TerminalInput,
  write: (text: string) => void,
  question: string,
): Promise<string | null> {
  write(question)
  input.setRawMode?.(true)
  input.setEncoding('utf8')
  input.resume()
  return new Promise((resolve) => {
    let typed = ''
    const end = (result: string | null) => {
      input.off('data', take)
      input.setRawMode?.(false)
      input.pause()
      write('\n')
      resolve(result)
    }
    const take = (text: string) => {
      for (const character of text) {
        if (character === '\r' || character === '\n') return end(typed)
        // Ctrl-C and Ctrl-D.
        if (character === '\u0003' || character === '\u0004') return end(null)
        // Backspace, as terminals send it.
        if (character === '\u007F' || character === '\b') typed = typed.replace(/.$/su, '')
        else if (character >= ' ') typed += character
      }
    }
    input.on('data', take)
  })
}
