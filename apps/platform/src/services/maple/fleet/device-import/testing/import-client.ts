import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import type {
  ColumnMapping,
  DeviceImport,
  ImportRowError,
} from '@grove/contract/maple/fleet/device-import'
import type { TestServer } from '../../../../../core/testing/test-platform.ts'

const path = '/api/maple/device/import'

export interface ImportChoice {
  existing?: 'keep' | 'update'
  mapping?: ColumnMapping[]
}
export type ImportClient = ReturnType<typeof createImportClient>

/** Makes the calls of imports as one user. */
export function createImportClient(
  server: Pick<TestServer, 'app'>,
  headers: { authorization: string },
) {
  const post = (call: string, payload: object) =>
    server.app.inject({ method: 'POST', url: `${path}/${call}`, payload, headers })

  async function upload(content: Buffer | string, fileName = 'fleet.csv') {
    const boundary = `----${randomUUID()}`
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${fileName}"\r\ncontent-type: text/csv\r\n\r\n`
    const payload = Buffer.concat(
      [head, content, `\r\n--${boundary}--\r\n`].map((part) => Buffer.from(part)),
    )
    const type = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    return server.app.inject({
      method: 'POST',
      url: path,
      payload,
      headers: { ...type, ...headers },
    })
  }

  async function uploaded(content: Buffer | string): Promise<DeviceImport> {
    const response = await upload(content)
    expect([response.statusCode, response.body]).toEqual([201, response.body])
    return response.json()
  }

  async function read(id: string): Promise<DeviceImport> {
    const response = await server.app.inject({ url: path, query: { id }, headers })
    const [item] = response.json<{ items: DeviceImport[] }>().items
    if (!item) throw new Error(response.body)
    return item
  }

  const ended = (id: string, state: DeviceImport['state']) =>
    vi.waitFor(
      async () => {
        const found = await read(id)
        expect([found.state, found.failure]).toEqual([state, null])
        // The file is removed right after the end, unless rows failed.
        expect(found.hasFile).toBe(state === 'checked' || found.counts.wrong > 0)
        return found
      },
      { timeout: 60_000, interval: 50 },
    )

  async function checked(
    content: Buffer | string,
    { existing = 'update', mapping }: ImportChoice = {},
  ): Promise<DeviceImport> {
    const file = await uploaded(content)
    const response = await post('check', {
      id: file.id,
      existing,
      mapping: mapping ?? file.mapping,
    })
    expect([response.statusCode, response.body]).toEqual([200, response.body])
    return ended(file.id, 'checked')
  }

  return {
    post,
    upload,
    uploaded,
    read,
    ended,
    checked,
    /** Checks and imports a file; the check's prediction came true. */
    async imported(content: Buffer | string, choice?: ImportChoice): Promise<DeviceImport> {
      const { id, checked: dry } = await checked(content, choice)
      expect((await post('start', { id })).statusCode).toBe(200)
      const end = await ended(id, 'completed')
      expect(end.counts).toEqual(dry)
      return end
    },
    async errorsOf(id: string, language = 'en'): Promise<ImportRowError[]> {
      const url = `${path}/error`
      const response = await server.app.inject({ url, query: { id, language }, headers })
      return response.json<{ items: ImportRowError[] }>().items
    },
    failedRows: async (id: string) =>
      (await server.app.inject({ url: `${path}/row/file`, query: { id }, headers })).body,
    errorFile: (id: string) =>
      server.app.inject({ url: `${path}/error/file`, query: { id }, headers }),
  }
}
