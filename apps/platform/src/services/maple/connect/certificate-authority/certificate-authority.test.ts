import { randomUUID, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CertificateOfDevice } from '@grove/contract/maple/connect/certificate-authority'
import { startTestServer, type TestServer } from '../../../../core/testing/test-platform.ts'
import { hasOpenssl, needs, openCertificates } from '../gateway/testing/openssl.ts'
import { maple } from '../../index.ts'
import type { MapleDb } from '../../base/tables.ts'
import { admitCertificate } from './admit-certificate.ts'

type Headers = { authorization: string }

describe.skipIf(!hasOpenssl)(`the certificates of a device ${needs}`, () => {
  let server: TestServer
  let db: MapleDb
  let admin: Headers
  const made = openCertificates()
  beforeAll(async () => {
    server = await startTestServer([maple])
    db = server.platform.db
    admin = await server.bearer(['ADMIN'])
  })
  afterAll(async () => {
    await server.close()
    made.close()
  })

  async function ask(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    as: Headers,
    payload?: object,
  ) {
    const answer = await server.app.inject({
      method,
      url: `/api/maple/device${path}`,
      headers: as,
      ...(payload && { payload }),
    })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }

  async function provider(): Promise<{ id: string; as: Headers }> {
    const [id, holder] = [`s-${randomUUID()}`, randomUUID()]
    await sql`insert into maple.service (id, name, name_key) values (${id}, ${id}, ${id})`.execute(
      db,
    )
    await sql`
      insert into maple.account (id, roles, service_id)
      values (${holder}, '{provider_admin}', ${id})`.execute(db)
    return { id, as: await server.bearer(['DEVELOPER'], holder) }
  }

  async function authority(as: Headers) {
    const root = made.makeRoot(`Factory ${randomUUID()}`)
    const certificate = readFileSync(root.cert, 'utf8')
    const added = await ask('POST', '/certificate_authority', as, {
      name: 'Factory',
      certificate,
      type: 'iot',
    })
    const { id, challenge } = added.body
    const signature = made.sign(challenge, root.key)
    const proved = await ask('POST', `/certificate_authority/${id}/proof`, as, { signature })
    expect(proved.status).toBe(200)
    return { id: id as string, root }
  }

  /** A device connects with a new certificate. */
  async function certify({ root }: Awaited<ReturnType<typeof authority>>, deviceId: string) {
    const { cert } = made.issue(root, `/CN=${deviceId}`)
    const certificate = new X509Certificate(readFileSync(cert))
    const admitted = await admitCertificate(await maple.open(server.platform), certificate)
    expect(admitted).toMatchObject({ identity: { deviceId } })
    return certificate
  }

  const list = async (deviceId: string, as: Headers) => {
    const { status, body } = await ask('GET', `/certificate?deviceId=${deviceId}`, as)
    return { status, items: (body.items ?? []) as CertificateOfDevice[] }
  }

  test('are listed for its service provider and for administrators, and for nobody else', async () => {
    const [ours, theirs] = [await provider(), await provider()]
    const factory = await authority(ours.as)
    const deviceId = `pump-${randomUUID()}`
    const first = await certify(factory, deviceId)
    const second = await certify(factory, deviceId)
    const { items } = await list(deviceId, ours.as)
    expect(items).toMatchObject([
      { serial: second.serialNumber },
      {
        serial: first.serialNumber,
        authorityId: factory.id,
        authority: 'Factory',
        revokedAt: null,
        refusal: null,
      },
    ])
    expect(Date.parse(items[1]?.validTo ?? '')).toBe(Date.parse(first.validTo))
    expect((await list(deviceId, admin)).items).toEqual(items)
    expect((await list(deviceId, theirs.as)).status).toBe(404)
    expect((await list(`pump-${randomUUID()}`, ours.as)).status).toBe(404)

    const revoke = (as: Headers) =>
      ask('POST', `/certificate_authority/${factory.id}/revoked`, as, {
        serial: first.serialNumber,
      })
    expect((await revoke(theirs.as)).status).toBe(404)
    expect((await revoke(ours.as)).status).toBe(201)
    expect((await list(deviceId, ours.as)).items).toMatchObject([
      { refusal: null },
      { refusal: 'revoked', revokedAt: expect.any(String) },
    ])
  })

  test('say why a device cannot connect with them', async () => {
    const ours = await provider()
    const factory = await authority(ours.as)
    const deviceId = `pump-${randomUUID()}`
    await certify(factory, deviceId)
    const refusal = async (as = ours.as) => (await list(deviceId, as)).items[0]?.refusal
    const at = `/certificate_authority/${factory.id}`
    await ask('PUT', at, ours.as, { isEnabled: false })
    expect(await refusal()).toBe('authorityDisabled')
    await ask('PUT', at, ours.as, { isEnabled: true })
    expect(await refusal()).toBeNull()
    await sql`update maple.device_certificate set valid_to = now() where device_id = ${deviceId}`.execute(
      db,
    )
    expect(await refusal()).toBe('expired')
    await ask('DELETE', `?id=${deviceId}`, ours.as)
    expect(await refusal()).toBe('retired')
  })

  test('of a device that now has another owner are shown only to administrators', async () => {
    const [former, present] = [await provider(), await provider()]
    const deviceId = `pump-${randomUUID()}`
    await certify(await authority(former.as), deviceId)
    await ask('PUT', `?id=${deviceId}`, admin, { serviceId: present.id })
    expect((await list(deviceId, former.as)).status).toBe(404)
    expect(await list(deviceId, present.as)).toEqual({ status: 200, items: [] })
    expect((await list(deviceId, admin)).items).toMatchObject([{ refusal: 'otherOwner' }])
  })
})
