/** An answer, read as the client reads it. */
export interface Answer {
  /** Method and path, such as `GET /api/stage/auth`. */
  call: string
  url: URL
  status: number
  headers: Headers
  /** Parsed JSON, else the text. */
  body: unknown
  /** When it was requested and when it was there, in milliseconds since 1970. */
  sentAt: number
  receivedAt: number
}

export const isSuccess = ({ status }: Pick<Answer, 'status'>) => status >= 200 && status < 300

/** What a server says of a path, or of a method, that it does not have. */
export const isMissing = ({ status }: Pick<Answer, 'status'>) => [404, 405, 501].includes(status)

/** As `isRejection` of the client: whether it takes this answer to a refresh for a refusal. */
export const endsSession = ({ status }: Pick<Answer, 'status'>) =>
  status >= 400 && status < 500 && ![408, 425, 429].includes(status)

export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An answer in a few words, such as `200 with a web page instead of JSON`. */
export function nameOf({ status, body }: Answer): string {
  return `${status} ${bodyNameOf(body)}`
}

function bodyNameOf(body: unknown): string {
  if (typeof body === 'string') {
    if (body.trim() === '') return 'with an empty body'
    return body.trimStart().startsWith('<')
      ? 'with a web page instead of JSON'
      : 'with plain text instead of JSON'
  }
  if (Array.isArray(body)) return 'with a list'
  if (typeof body !== 'object' || body === null) return `with ${String(body)}`
  const names = Object.keys(body)
  if (names.length === 0) return 'with an empty object'
  return `with ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`
}

/** What people read of a refusal (PROTOCOL.md, "Every call"). */
export function reasonIn(body: unknown): string | undefined {
  const {
    detail,
    message,
    error_description: description,
  } = Object(body) as Record<string, unknown>
  return [detail, message, description].find(
    (text): text is string => typeof text === 'string' && text !== '',
  )
}

/** A text of the service, quoted and short enough for a line. */
export const quoted = (text: unknown) =>
  JSON.stringify(typeof text === 'string' && text.length > 80 ? `${text.slice(0, 79)}…` : text)
