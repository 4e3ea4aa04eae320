import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type {
  DeviceHandler,
  DeviceHandlerInput,
  DeviceHandlerResult,
  DeviceHandlerTest,
} from '@grove/contract/maple/program/device-handler'
import type { DeviceMessage } from '@grove/contract/maple/connect/device-connection'
import type { GatewayWorld } from '../../../connect/gateway/testing/gateway-world.ts'

type Headers = GatewayWorld['headers']

/** Device handlers, products that use them, and devices of these. */
export function handlerClient({ ask, db, device, server, headers }: GatewayWorld) {
  const path = 'device_handlers'

  async function create(given: { code?: string; tests?: DeviceHandlerTest[] }, as = headers) {
    const { status, body } = await ask('POST', path, { name: randomUUID(), ...given }, as)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return body as DeviceHandler
  }

  async function published(code: string, as = headers): Promise<DeviceHandler> {
    const made = await create({ code }, as)
    const { status, body } = await ask('POST', `${path}/${made.id}/publish`, {}, as)
    if (status !== 201) throw new Error(JSON.stringify(body))
    return made
  }

  return {
    create,
    published,

    /** The headers of a person in a new service provider, with its id. */
    async provider(): Promise<{ serviceId: string; as: Headers }> {
      const [serviceId, id] = [`s-${randomUUID()}`, randomUUID()]
      await sql`
        insert into maple.service (id, name, name_key)
        values (${serviceId}, ${serviceId}, ${serviceId})`.execute(db)
      await sql`
        insert into maple.account (id, roles, service_id)
        values (${id}, '{provider_admin}', ${serviceId})`.execute(db)
      return { serviceId, as: await server.bearer(['DEVELOPER'], id) }
    },

    /** A device of a new product, with a handler of this code. */
    async deviceWith(code: string, of: { serviceId?: string; as?: Headers } = {}) {
      const { serviceId = null, as = headers } = of
      const handler = await published(code, as)
      const product = await ask('POST', 'products', { name: 'P', handlerId: handler.id }, as)
      if (product.status !== 201) throw new Error(JSON.stringify(product.body))
      const made = await device({ serviceId })
      await sql`
        update maple.device set product_id = ${product.body.id} where id = ${made.id}`.execute(db)
      return { ...made, handler, productId: product.body.id as string }
    },

    async run(code: string, inputs: DeviceHandlerInput[], as = headers) {
      const { body } = await ask('POST', `${path}/run`, { code, inputs }, as)
      return body as { problem: { line: number } | null; results: DeviceHandlerResult[] }
    },

    async messagesOf(deviceId: string): Promise<DeviceMessage[]> {
      const { body } = await ask('GET', `device/connection?deviceId=${deviceId}`)
      return (body.messages as DeviceMessage[]).toReversed()
    },

    async pointsOf(deviceId: string) {
      const { rows } = await sql<{ key: string; value: number }>`
        select key, value from maple.telemetry where device_id = ${deviceId}
        order by ts, key`.execute(db)
      return rows
    },

    async reportedOf(deviceId: string): Promise<unknown> {
      return (await ask('GET', `device/twin?deviceId=${deviceId}`)).body.reported
    },
  }
}

/** A device message with this payload. */
export const payload = (seq: number, hex: string, more: object = {}) =>
  JSON.stringify({
    t: 'bytes',
    boot: 'boot-1',
    seq,
    d: Buffer.from(hex, 'hex').toString('base64'),
    ...more,
  })
