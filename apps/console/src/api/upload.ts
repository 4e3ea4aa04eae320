import { address } from './address.ts'
import { NetworkProblem } from './problem.ts'
import type { FormFieldsOf, Service, UploadPath } from './types.ts'

/** The session's `Authorization` header, and a new one once the service has refused it. */
export interface Authorization {
  current: () => Promise<string | null>
  renew: () => Promise<string | null>
}

export interface UploadOptions<P extends UploadPath> {
  fields: FormFieldsOf<P>
  file: File
  onProgress?: (loaded: number, total: number) => void
  signal?: AbortSignal
}

type Upload<P extends UploadPath> = UploadOptions<P> & {
  headers: Record<string, string> | undefined
}

/**
 * Uploads one file with XMLHttpRequest, because `fetch` reports no upload progress. An abort rejects
 * with the signal's reason.
 */
export async function upload<P extends UploadPath>(
  service: Service,
  path: P,
  options: Upload<P>,
  authorization?: Authorization,
) {
  const header = (await authorization?.current()) ?? null
  const response = await send(service, path, options, header)
  if (response.status !== 401) return response
  const renewed = await authorization?.renew()
  return !renewed || renewed === header ? response : send(service, path, options, renewed)
}

function send<P extends UploadPath>(
  service: Service,
  path: P,
  { fields, file, onProgress, signal, headers = {} }: Upload<P>,
  authorization: string | null,
) {
  return new Promise<Response>((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open('POST', service.url + address(path))
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('api-version', service.apiVersion)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    if (authorization) request.setRequestHeader('authorization', authorization)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(loaded, total))
    request.addEventListener('load', () => {
      const { status, responseText } = request
      const headers = headersOf(request.getAllResponseHeaders())
      resolve(new Response(status === 204 ? null : responseText, { status, headers }))
    })
    request.addEventListener('error', () =>
      reject(new NetworkProblem('The upload was interrupted')),
    )
    request.addEventListener('abort', () =>
      reject(signal?.reason ?? new DOMException('Request aborted', 'AbortError')),
    )
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
    if (signal?.aborted) return reject(signal.reason)
    signal?.addEventListener('abort', abort)
    request.send(formOf(fields, file))
  })
}

/** Only headers that scripts may read: Chromium logs an error when any other is read. */
function headersOf(lines: string): Headers {
  const headers = new Headers()
  for (const line of lines.split('\r\n')) {
    const [name = '', value = ''] = line.split(/: ?(.*)/)
    if (['platform', 'retry-after'].includes(name)) headers.set(name, value)
  }
  return headers
}

/** Fields come before the file, so that the server can refuse before reading it. */
function formOf(fields: object | undefined, file: File) {
  const form = new FormData()
  for (const [name, value] of Object.entries<string | undefined>({ ...fields })) {
    if (value !== undefined) form.append(name, value)
  }
  form.append('file', file)
  return form
}
