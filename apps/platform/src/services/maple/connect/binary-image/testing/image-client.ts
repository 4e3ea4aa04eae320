import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { BinaryImage } from '@grove/contract/maple/connect/binary-image'
import type { TestServer } from '../../../../../core/testing/test-platform.ts'

export type ImageClient = ReturnType<typeof createImageClient>

/** Makes the calls of images and products as one user. */
export function createImageClient(
  { app }: Pick<TestServer, 'app'>,
  headers: Record<string, string>,
) {
  const send = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    payload?: object,
    more = {},
  ) => {
    const response = await app.inject({
      method,
      url: `/api/maple/${path}`,
      headers: { ...headers, ...more },
      ...(payload && { payload }),
    })
    const isJson = String(response.headers['content-type']).includes('json')
    return { status: response.statusCode, body: isJson ? response.json() : null, response }
  }

  const upload = async (file: Uint8Array, fileName = 'firmware.signed.bin') => {
    const boundary = `----${randomUUID()}`
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${fileName}"\r\ncontent-type: application/octet-stream\r\n\r\n`
    const response = await app.inject({
      method: 'POST',
      url: '/api/maple/binary_images',
      payload: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
      headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    return { status: response.statusCode, body: response.json() }
  }

  const uploaded = async (file: Uint8Array): Promise<BinaryImage> => {
    const { status, body } = await upload(file)
    expect([status, body]).toEqual([201, body])
    return body as BinaryImage
  }

  const move = (id: string, state: string) => send('POST', `binary_images/${id}/state`, { state })
  const addKey = (pem: string, name = 'Release key') =>
    send('POST', 'binary_images/keys', { name, pem })

  return { send, upload, uploaded, move, addKey }
}
