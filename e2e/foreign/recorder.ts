import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

export interface RecordedRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: Record<string, string | undefined>
  /** The fields of a JSON body or a form; null without a body. */
  body: Record<string, unknown> | null
}

export async function record(request: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const url = new URL(request.url ?? '/', 'http://foreign.invalid')
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: single(request.headers),
    body: text === '' ? null : parse(text, request.headers['content-type'] ?? ''),
  }
}

function parse(text: string, type: string): Record<string, unknown> {
  return type.startsWith('application/x-www-form-urlencoded')
    ? Object.fromEntries(new URLSearchParams(text))
    : (JSON.parse(text) as Record<string, unknown>)
}

const single = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]))
