import { sql } from 'kysely'
import { median } from '../support/statistics.ts'
import {
  checkImport,
  deliver,
  knock,
  makeCard,
  makeHandler,
  makeScript,
  neighbour,
  neighbourAddress,
  newSecret,
  scripts,
  stateOfImport,
  until,
  uploadImport,
  type Place,
} from './place.ts'

/** What the neighbour does, and its latency in milliseconds. */
export type Probes = Record<string, () => Promise<number>>

export async function openProbes(place: Place): Promise<Probes> {
  const { db, ask, platform, tlsPort } = place
  const handler = await makeHandler(place, neighbour, '1 + 1')
  const card = await makeCard(place, neighbour)
  const script = await makeScript(place, '1 + 1')
  const secret = await makeDevice(place)
  const plain = platform.url.replace(/^http/, 'ws')
  // If it is told to come later, it retries immediately.
  const connect = (url: string) => timed(() => until(() => knock(url, secret, neighbourAddress)))
  return {
    handler: async () => {
      const id = await deliver(place, handler)
      return timed(() =>
        until(async () => {
          const { rows } = await sql`
            select from maple.cloud_handler_run
            where id = ${id} and finished_at is not null`.execute(db)
          return rows.length > 0
        }),
      )
    },
    import: async () => {
      const uploaded = await uploadImport(place, neighbour, 200)
      return timed(async () => {
        await checkImport(place, uploaded)
        await until(async () => (await stateOfImport(place, uploaded.id)) === 'checked')
      })
    },
    script: () =>
      timed(async () => {
        const { items } = await ask<{ items: { id: string }[] }>(
          'POST',
          `${scripts}/${script}/run`,
          { elements: [card] },
        )
        const id = items[0]?.id ?? ''
        await own(place, id)
        await until(async () => {
          const { rows } = await sql`
            select from maple.script_run where id = ${id} and finished_at is not null`.execute(db)
          return rows.length > 0
        })
      }),
    list: async () => {
      const times: number[] = []
      for (let n = 0; n < 5; n++)
        times.push(await timed(() => ask('GET', '/api/maple/device?limit=50')))
      return median(times)
    },
    connection: () => connect(plain),
    'connection by TLS': () => connect(`wss://127.0.0.1:${tlsPort}`),
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** The secret of a device that may connect. */
async function makeDevice({ db }: Place): Promise<string> {
  const device = 'bench-device'
  const secret = newSecret()
  await sql`
    insert into maple.device (id, name, name_key, type, state, service_id)
    values (${device}, ${device}, ${device}, 'iot', 'accepted', ${neighbour})`.execute(db)
  await sql`
    insert into maple.device_credential (id, device_id, secret_hash)
    values (gen_random_uuid(), ${device}, encode(sha256(convert_to(${secret}, 'UTF8')), 'hex'))
  `.execute(db)
  return secret
}

/** The person is an administrator, so each run names its owner. */
const own = ({ db }: Place, runId: string) =>
  sql`
    with run as (
      update maple.script_run set service_id = ${neighbour} where id = ${runId}
      returning batch_id::text as batch
    )
    update maple.job set owner = ${neighbour} from run
    where name = 'script.run' and state = 'queued' and input ->> 'batch' = run.batch`.execute(db)
