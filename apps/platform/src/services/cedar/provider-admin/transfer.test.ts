import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Activity } from '@grove/contract/cedar/activity'
import type { AdminProvider, Transfer } from '@grove/contract/cedar/provider-admin'
import {
  startCatalogue,
  tally,
  tenant,
  type CatalogueServer,
  type Tenant,
} from '../testing/catalogue.ts'

let server: CatalogueServer
let admin: Tenant
beforeAll(async () => {
  server = await startCatalogue()
  admin = await tenant(server, ['ADMIN'])
})
afterAll(() => server.close())

const one = '/api/cedar/provider'
const path = '/api/cedar/apps/transfer'

async function organisation(owner: Tenant): Promise<AdminProvider> {
  await owner.send('GET', '/api/provider')
  const { body } = await admin.send('POST', one, { name: 'Tides', ownerId: owner.userId })
  return body
}
const change = (id: string, body: object) => admin.send('PUT', `/api/admin/provider/${id}`, body)
const transfer = ({ userId }: Tenant, provider: string) =>
  admin.send('POST', path, { user_id: userId, provider_id: provider })
const undo = (id: string) => admin.send('POST', `${path}/${id}/undo`)
const listed = async (provider: string) =>
  (await admin.send('GET', `${path}?provider=${provider}`)).body.items as Transfer[]
const productsOf = async (who: Tenant) =>
  (await who.send('GET', '/api/developer/product')).body.items as { productId: string }[]

it('a transfer moves every app of the personal provider, with links and files, or none', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const first = await anna.product('First')
  await anna.product('Second')
  await anna.send('POST', `/api/developer/product/default/${first.productId}`)
  const link = await anna.send('PUT', `/api/developer/product/${first.productId}/link`)
  const { id } = await organisation(boris)
  const transfer = () =>
    admin.send('POST', '/api/cedar/apps/transfer', { user_id: anna.userId, provider_id: id })

  await change(id, { limits: { products: 1 } })
  expect((await transfer()).body.detail).toMatch(/0 of 1 apps, so 2 more/)
  expect((await anna.send('GET', '/api/developer/product')).body.items).toHaveLength(2)

  await change(id, { limits: { products: 2 } })
  // Twice concurrently: the second finds nothing left to move.
  const answers = await Promise.all([transfer(), transfer()])
  expect(tally(answers)).toEqual({ 200: 2 })
  expect(answers.flatMap(({ body }) => body.productIds)).toHaveLength(2)
  const moved = await boris.send('GET', `/api/developer/product/${first.productId}`)
  expect(moved.body).toMatchObject({ providerId: id, isDefault: false, linkId: link.body.linkId })
  expect((await anna.send('GET', `/api/developer/product/${first.productId}`)).status).toBe(404)
  const target = await admin.send('GET', `${one}?provider=${id}`)
  expect(target.body.use.products).toBe(2)
  // The count of the source provider is correct too.
  await anna.product('Third')
  const { body: own } = await anna.send('GET', '/api/provider')
  const left = await admin.send('GET', `${one}?provider=${own[0].id}`)
  expect(left.body.use.products).toBe(1)
})

it('a transfer from someone without a personal provider, or to a missing provider, is refused', async () => {
  const stranger = await tenant(server)
  const { id } = await organisation(await tenant(server))
  const send = (userId: string, provider: string) =>
    admin.send('POST', '/api/cedar/apps/transfer', { user_id: userId, provider_id: provider })
  expect((await send(stranger.userId, id)).body.errors[0].code).toBe('unknown_user')
  await stranger.product()
  expect((await send(stranger.userId, randomUUID())).status).toBe(404)
})

it('a transfer can be undone within a day: the remaining apps go back, with the default app', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const [first, second, third] = [
    await anna.product('First'),
    await anna.product('Second'),
    await anna.product('Third'),
  ]
  await anna.send('POST', `/api/developer/product/default/${first.productId}`)
  const { id } = await organisation(boris)
  const { transferId } = (await transfer(anna, id)).body
  expect(await listed(id)).toMatchObject([
    { id: transferId, userId: anna.userId, products: 3, returnable: 3 },
  ])
  await boris.send('DELETE', `/api/developer/product/${second.productId}`)
  expect(await listed(id)).toMatchObject([{ products: 3, returnable: 2 }])

  // Twice concurrently: the second learns that it is done.
  const answers = await Promise.all([undo(transferId), undo(transferId)])
  expect(tally(answers)).toEqual({ 200: 1, 409: 1 })
  const [done] = answers.filter(({ status }) => status === 200)
  expect(done?.body.productIds.toSorted()).toEqual([first.productId, third.productId].toSorted())
  expect(done?.body.stayed).toEqual([second.productId])
  expect(await productsOf(anna)).toHaveLength(2)
  expect(await productsOf(boris)).toHaveLength(0)
  const back = await anna.send('GET', `/api/developer/product/${first.productId}`)
  expect(back.body.isDefault).toBe(true)
  expect(await listed(id)).toEqual([])
  const counts = await Promise.all(
    [id, first.providerId].map((provider) => admin.send('GET', `${one}?provider=${provider}`)),
  )
  expect(counts.map(({ body }) => body.use.products)).toEqual([0, 2])

  // The developer sees who took the apps and returned them.
  const { body } = await anna.send('GET', `/api/developer/activity?providerId=${first.providerId}`)
  const actions = body.items.map(({ action }: Activity) => action)
  expect(actions.slice(0, 2)).toEqual(['provider.transfer.undo', 'provider.transfer.away'])
})

it('a transfer is final after a day, and an undo finds room or changes nothing', async () => {
  const [anna, boris] = [await tenant(server), await tenant(server)]
  const { providerId } = await anna.product('First')
  const { id } = await organisation(boris)
  const { transferId } = (await transfer(anna, id)).body
  await change(providerId, { limits: { products: 0 } })
  expect((await undo(transferId)).body).toMatchObject({ code: 'limit_reached' })
  expect(await productsOf(boris)).toHaveLength(1)
  await change(providerId, { limits: { products: null } })
  await sql`update cedar.transfer set at = at - interval '25 hours' where id = ${transferId}`.execute(
    server.context.db,
  )
  expect((await undo(transferId)).body.code).toBe('transfer_is_final')
  expect(await listed(id)).toEqual([])
  expect((await undo(randomUUID())).status).toBe(404)
  expect((await boris.send('POST', `${path}/${transferId}/undo`)).status).toBe(403)
  expect((await admin.send('GET', `${path}?provider=${randomUUID()}`)).status).toBe(404)
})
