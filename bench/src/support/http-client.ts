import { Agent, request } from 'node:http'

export interface Answer {
  status: number
  body: Buffer
  /** From the call to the last byte of the response. */
  milliseconds: number
}

export interface Sending {
  headers?: Record<string, string>
  body?: Buffer | object
}

export type Send = (method: string, path: string, sending?: Sending) => Promise<Answer>

// Plain node:http, whose overhead per call is a fraction of a millisecond.
const agent = new Agent({ keepAlive: true })

/** Calls to one server over keep-alive connections. */
export function createSend(url: string): Send {
  return (method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const isJson = body !== undefined && !Buffer.isBuffer(body)
      const payload = isJson ? Buffer.from(JSON.stringify(body)) : body
      const started = performance.now()
      const outgoing = request(
        new URL(path, url),
        {
          method,
          agent,
          headers: {
            ...(isJson && { 'content-type': 'application/json' }),
            ...(payload && { 'content-length': payload.length }),
            ...headers,
          },
        },
        (incoming) => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
          incoming.once('error', reject)
          incoming.once('end', () =>
            resolve({
              status: incoming.statusCode ?? 0,
              body: Buffer.concat(chunks),
              milliseconds: performance.now() - started,
            }),
          )
        },
      )
      outgoing.once('error', reject)
      outgoing.end(payload)
    })
}

/** The JSON of a response. @throws if the status is neither 200 nor 201. */
export function jsonOf({ status, body }: Answer): ReturnType<typeof JSON.parse> {
  if (status !== 200 && status !== 201) throw new Error(`Answered ${status}: ${body.toString()}`)
  return JSON.parse(body.toString())
}
