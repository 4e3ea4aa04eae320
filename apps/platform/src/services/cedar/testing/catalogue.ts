import { randomUUID } from 'node:crypto'
import type { Product } from '@grove/contract/cedar/product'
import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { startTestServer, type TestServer } from '../../../core/testing/test-platform.ts'
import type { Actor } from '../../../core/actor.ts'
import type { Platform } from '../../../core/platform.ts'
import type { CedarContext } from '../context.ts'
import { cedar } from '../index.ts'
import { buildZip, type ZipEntry } from '../package/testing/zip-builder.ts'
import { multipart, type MultipartPart } from './multipart.ts'

/** The tests assert the contents of responses. */
type Json = ReturnType<typeof JSON.parse>

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** A user of a test, with a token and the most common calls. */
export interface Tenant {
  userId: string
  actor: Actor
  authorization: string
  send: (
    method: Method,
    url: string,
    body?: object,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; headers: Record<string, unknown>; body: Json; raw: Buffer }>
  upload: (url: string, parts: readonly MultipartPart[]) => Promise<{ status: number; body: Json }>
  product: (title?: string) => Promise<Product>
  version: (productId: string, version?: string) => Promise<ProductVersion>
  /** A version with a package that passed. */
  ready: (productId: string, version?: string) => Promise<ProductVersion>
}

export interface CatalogueServer extends TestServer {
  context: CedarContext
}

export async function startCatalogue(overrides: Partial<Platform> = {}): Promise<CatalogueServer> {
  const server = await startTestServer([cedar], overrides)
  return { ...server, context: await cedar.open(server.platform) }
}

export async function tenant(server: TestServer, roles = ['DEVELOPER']): Promise<Tenant> {
  const userId = randomUUID()
  const { authorization } = await server.bearer(roles, userId)
  const inject = async (
    method: Method,
    url: string,
    payload: object | Buffer | undefined,
    headers: Record<string, string> = {},
  ) => {
    const response = await server.app.inject({
      method,
      url,
      headers: { authorization, ...headers },
      ...(payload && { payload }),
    })
    const isJson = String(response.headers['content-type']).includes('json')
    return {
      status: response.statusCode,
      headers: response.headers,
      body: isJson ? response.json() : response.body,
      raw: response.rawPayload,
    }
  }
  const made = async <T>(url: string, body: object): Promise<T> => {
    const response = await inject('POST', url, body)
    if (response.status !== 201) throw new Error(JSON.stringify(response.body))
    return response.body
  }
  const self: Tenant = {
    userId,
    actor: {
      id: userId,
      roles,
      sessionId: undefined,
      origin: { requestId: 'test', ip: '127.0.0.1', userAgent: 'test' },
    },
    authorization,
    send: inject,
    upload: (url, parts) => {
      const { payload, contentType } = multipart(parts)
      return inject('POST', url, payload, { 'content-type': contentType })
    },
    product: (title = 'Clock') =>
      made('/api/developer/product', { translations: [{ localeCode: 'en-US', title }] }),
    version: (productId, version = '1.0.0') =>
      made('/api/developer/productVersion', {
        productId,
        version,
        translations: [
          { localeCode: 'en-US', title: 'Clock' },
          { localeCode: 'ru-RU', title: 'Часы' },
        ],
      }),
    ready: async (productId, version) => {
      const { productVersionId } = await self.version(productId, version)
      const { status, body } = await self.upload(
        '/api/storage/productVersion/miniApp',
        packageParts(productVersionId),
      )
      if (status !== 200 || body.state !== 'ready') throw new Error(JSON.stringify(body))
      return body
    },
  }
  return self
}

/** The number of responses by status. */
export function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export const miniApp = (entries: ZipEntry[] = []): Buffer =>
  buildZip([{ name: 'index.html', data: '<!doctype html><title>Clock</title>' }, ...entries])

export const packageParts = (
  productVersionId: string,
  data: Buffer = miniApp(),
): MultipartPart[] => [
  { name: 'productVersionId', value: productVersionId },
  { name: 'file', fileName: 'clock.zip', data },
]
