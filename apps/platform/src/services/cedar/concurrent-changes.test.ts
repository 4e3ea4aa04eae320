import { afterAll, beforeAll, expect, it } from 'vitest'
import { sql } from 'kysely'
import type { TestServer } from '../../core/testing/test-platform.ts'
import { packageParts, startCatalogue, tenant } from './testing/catalogue.ts'

let server: TestServer
beforeAll(async () => {
  server = await startCatalogue()
  // The files' changes should run concurrently.
  Object.assign(server.platform.config.uploads, { most: 100, perAccount: 100 })
})
afterAll(() => server.close())

it('all kinds of concurrent changes to one product end in an answer, never in a failure', async () => {
  const anna = await tenant(server)
  const { productId, providerId } = await anna.product('Busy')
  const other = await anna.product('Other')
  const versions = [await anna.ready(productId, '1.0.0'), await anna.ready(productId, '1.1.0')]
  const product = `/api/developer/product/${productId}`
  const translations = [{ localeCode: 'en-US', title: 'Busy' }]
  const storage = '/api/storage/productVersion/miniApp'
  const rounds = Array.from({ length: 12 }, (_, n) => {
    const { productVersionId: id } = versions[n % 2] ?? { productVersionId: '' }
    const version = `/api/developer/productVersion/${id}`
    const number = { productId, version: `2.${n}.0`, translations }
    return [
      anna.send('PUT', version, { enabled: n % 3 !== 0, translations }),
      anna.send('PUT', product, { translations }),
      anna.send('PUT', `${product}/link`),
      anna.send('DELETE', `${product}/link`),
      anna.send('POST', `/api/developer/product/default/${n % 2 ? productId : other.productId}`),
      anna.send('POST', '/api/developer/product', { providerId, translations }),
      anna.send('POST', '/api/developer/productVersion', number),
      anna.upload(storage, packageParts(id)),
      anna.send('GET', `${storage}?productVersionId=${id}`),
      ...(n === 11 ? [anna.send('DELETE', product), anna.send('DELETE', version)] : []),
    ]
  })
  const answers = await Promise.all(rounds.flat())
  const failures = answers.filter(({ status }) => status >= 500)
  expect(failures.map(({ body }) => body)).toEqual([])

  const { rows } = await sql<{ counted: number; kept: number }>`
    select p.product_count as kept,
      (select count(*) from cedar.product where provider_id = p.id) as counted
    from cedar.provider p where id = ${providerId}`.execute(server.platform.db)
  expect(rows[0]?.kept).toBe(rows[0]?.counted)
})
