import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Applet } from '@grove/contract/maple/card/applet'
import { makeCap, sampleCap, type NewCap } from '@grove/secure-element/cap/make-cap'
import type { TestServer } from '../../../../../core/testing/test-platform.ts'

/** A CAP file like the sample, with overrides. */
export const capFile = (more: Partial<NewCap> = {}): Uint8Array =>
  makeCap({ ...sampleCap, ...more })

export type AppletClient = ReturnType<typeof createAppletClient>

/** Makes the calls of applets as one user. */
export function createAppletClient(
  { app }: Pick<TestServer, 'app'>,
  headers: Record<string, string>,
) {
  const send = (method: 'GET' | 'POST' | 'DELETE', path: string, payload?: object, more = {}) =>
    app.inject({
      method,
      url: `/api/maple/${path}`,
      headers: { ...headers, ...more },
      ...(payload && { payload }),
    })

  const upload = (file: Uint8Array, fileName = 'sample.cap') => {
    const boundary = `----${randomUUID()}`
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${fileName}"\r\ncontent-type: application/octet-stream\r\n\r\n`
    return app.inject({
      method: 'POST',
      url: '/api/maple/applets',
      payload: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]),
      headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
  }

  const uploaded = async (more: Partial<NewCap> = {}): Promise<Applet> => {
    const response = await upload(capFile(more))
    expect([response.statusCode, response.body]).toEqual([201, response.body])
    return response.json()
  }

  const move = (id: string, state: string, more = {}) =>
    send('POST', `applets/${id}/state`, { state }, more)

  return {
    send,
    upload,
    uploaded,
    move,
    released: async (more: Partial<NewCap> = {}): Promise<Applet> => {
      const { id } = await uploaded(more)
      await move(id, 'verified')
      const response = await move(id, 'released')
      expect([response.statusCode, response.body]).toEqual([200, response.body])
      return response.json()
    },
    /** The status and the problem code of a response. */
    refusal: async (...request: Parameters<typeof send>) => {
      const response = await send(...request)
      return [response.statusCode, response.json<{ code: string }>().code]
    },
  }
}
