import { auth } from './auth.ts'
import { address, serviceOf } from '../api/address.ts'
import { services } from './api.ts'
import { NetworkProblem, parseProblem } from '../api/problem.ts'
import type { AnswerOf, FormFieldsOf, UploadPath } from '../api/types.ts'

interface UploadOptions<P extends UploadPath> {
  fields: FormFieldsOf<P>
  file: File
  onProgress?: (loaded: number, total: number) => void
  signal?: AbortSignal
}

/**
 * Uploads one file by XMLHttpRequest, since `fetch` tells no progress of what it sends.
 * Rejects as the calls of `api` do; an abort rejects with the signal's reason.
 */
export async function upload<P extends UploadPath>(path: P, options: UploadOptions<P>) {
  const authorization = await auth.getAuthorization()
  try {
    return await send(path, options, authorization)
  } catch (error) {
    const renewed =
      isUnauthorized(error) && (await auth.refresh()) && (await auth.getAuthorization())
    if (!renewed || renewed === authorization) throw error
    return send(path, options, renewed)
  }
}

const isUnauthorized = (error: unknown) =>
  error instanceof Error && 'status' in error && error.status === 401

function send<P extends UploadPath>(
  path: P,
  { fields, file, onProgress, signal }: UploadOptions<P>,
  authorization: string | null,
) {
  const service = services[serviceOf(path)]
  return new Promise<AnswerOf<'POST', P>>((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open('POST', service.url + address(path))
    request.setRequestHeader('accept', 'application/json')
    request.setRequestHeader('api-version', service.apiVersion)
    if (authorization) request.setRequestHeader('authorization', authorization)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress?.(loaded, total))
    request.addEventListener('load', () => {
      const { status, responseText } = request
      if (status >= 200 && status < 300) resolve(JSON.parse(responseText) as AnswerOf<'POST', P>)
      else reject(parseProblem(responseText, status, request.getResponseHeader('retry-after')))
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

/** Fields come before the file, so that the server can refuse before it reads a byte of it. */
function formOf(fields: Record<string, string | undefined> | undefined, file: File) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value !== undefined) form.append(name, value)
  }
  form.append('file', file)
  return form
}
