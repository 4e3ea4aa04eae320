/** An answer as the client reads it. */
export interface Answer {
  /** Method and path, such as `GET /api/stage/auth`. */
  call: string
  url: URL
  status: number
  headers: Headers
  /** Parsed JSON, else the text. */
  body: unknown
  /** The times of the request and of the answer, in milliseconds since 1970. */
  sentAt: number
  receivedAt: number
}

export const isSuccess = ({ status }: Pick<Answer, 'status'>) => status >= 200 && status < 300

/** Whether the server does not know the path or the method. */
export const isMissing = ({ status }: Pick<Answer, 'status'>) => [404, 405, 501].includes(status)

/** Like the client's `isRejection`: whether it takes this answer to a refresh for a refusal. */
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

/** The reason for people in a refusal (PROTOCOL.md, "Every call"). */
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

/** Quotes a text of the service, shortened to fit a line. */
export const quoted = (text: unknown) =>
  JSON.stringify(typeof text === 'string' && text.length > 80 ? `${text.slice(0, 79)}…` : text)
