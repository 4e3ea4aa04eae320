import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { runScript } from '../../../../core/testing/run-script.ts'
import { gatewayWorld } from './testing/gateway-world.ts'

const script = new URL('./testing/die-before-ack.ts', import.meta.url)
const isPostgres = process.env['GROVE_TEST_ENGINE'] === 'postgres'

// The embedded database has one process, in which nothing is left to connect to.
test.runIf(isPostgres)(
  'kill -9 between the commit and the acknowledgement: nothing is lost, nothing is duplicated',
  async () => {
    const world = await gatewayWorld()
    const { id, secret } = await world.device()
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(
      world.db,
    )
    const url = Object.assign(new URL(inject('postgresUrl')), { pathname: `/${rows[0]?.name}` })
    const command = (await world.ask('POST', 'device/command', { deviceId: id, name: 'ping' })).body
    const at = Date.now()
    const said = [
      { t: 'telemetry', seq: 1, ts: at, d: { temperature: 20 } },
      { t: 'result', seq: 2, id: command.id, ok: true, d: 'first' },
      { t: 'reported', seq: 3, d: { interval: 60 } },
    ].map((message) => JSON.stringify({ ...message, boot: 'boot-1' }))
    const { child, exited } = runScript(script, url.href, '', secret, '3', ...said)
    await exited
    expect(child.signalCode).toBe('SIGKILL')

    const link = await world.welcomed(secret)
    // What it stored is final: the device is told now.
    expect(link.welcome.seq).toBe(3)
    for (const message of said) link.say(message)
    link.say(
      JSON.stringify({ t: 'telemetry', boot: 'boot-1', seq: 4, ts: at, d: { temperature: 21 } }),
    )
    await link.until('ack', ({ seq }) => seq === 4)
    expect(link.heard.filter(({ t }) => t === 'command')).toEqual([])
    const counted = await sql<{ messages: number; points: number; versions: number; lost: number }>`
      select (select count(*)::int from maple.device_message where device_id = ${id}
          and boot <> '') as messages,
        (select count(*)::int from maple.telemetry where device_id = ${id}) as points,
        (select reported_version from maple.device_twin where device_id = ${id}) as versions,
        (select lost::int from maple.device_stream where device_id = ${id}) as lost
    `.execute(world.db)
    expect(counted.rows[0]).toEqual({ messages: 4, points: 2, versions: 1, lost: 0 })
    expect((await world.ask('GET', `device/command/${command.id}`)).body).toMatchObject({
      state: 'succeeded',
      result: 'first',
      attempts: 1,
    })
    const { body } = await world.ask('GET', `sessions/device?device=${id}`)
    expect(body.items).toMatchObject([
      { state: 'active' },
      { state: 'closed', endReason: 'replaced' },
    ])
    await world.close()
  },
  120_000,
)
