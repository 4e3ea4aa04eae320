import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { isOpenRotation } from '@grove/contract/maple/card/key.rules'
import { stageHeader } from '@grove/contract/stage.rules'
import { deviceSocketPath } from '@grove/device-protocol/limits'
import { openPostgresPool } from './core/database/pools.ts'
import { freePort } from './core/testing/free-port.ts'
import type { PlatformProcess } from './core/testing/platform-process.ts'
import {
  kill,
  openProcesses,
  type Member,
  type Processes,
  type ProviderKeys,
} from './core/testing/processes.ts'
import { auth } from './services/auth/index.ts'
import { cedar } from './services/cedar/index.ts'
import { maple } from './services/maple/index.ts'

/** How often each process is killed. */
const rounds = process.env['GROVE_TESTS'] === 'all' ? 10 : 1
/** How long after a response or a start a process may take to learn of a revocation. */
const boundMs = 2000
/** How long work has been in progress when the kill comes, at most. */
const underWayMs = { revocation: 150, work: 1500 }
/**
 * When the kill comes: at any moment, or while a card is writing what it was told. In the second case
 * the card has done it but nobody knows, in the third it has not.
 */
const moments = ['any', 'done and not heard', 'lost'] as const
type Moment = (typeof moments)[number]
/** By then, a living process has extended its claims. */
const beatMs = 8000
const patience = { timeout: 60_000, interval: 50 }
const cardsOfEach = 3
const heldLock = 5180048

type Place = 'platform' | 'first gateway' | 'second gateway'
const places: readonly Place[] = ['platform', 'first gateway', 'second gateway']
const gateways = ['first gateway', 'second gateway'] as const

// The embedded database has only one process.
describe.runIf(process.env['GROVE_TEST_ENGINE'] === 'postgres')(
  'a platform and two gateways',
  () => {
    let world: Processes
    let admin: Member
    let second: Member
    const at = {} as Record<Place, PlatformProcess>
    const settings = {} as Record<Place, Record<string, string>>

    beforeAll(async () => {
      world = await openProcesses([auth, cedar, maple])
      const [port, ...ports] = await Promise.all([freePort(), freePort(), freePort()])
      const url = `http://127.0.0.1:${port}`
      settings.platform = { GROVE_SERVICES: 'auth,cedar,maple', GROVE_PORT: String(port) }
      for (const [index, place] of gateways.entries())
        settings[place] = {
          // They also run sessions and jobs.
          GROVE_SERVICES: 'maple,gateway',
          GROVE_PORT: String(ports[index]),
          GROVE_AUTH_JWKS_URL: `${url}/.well-known/jwks.json`,
          CEDAR_URL: url,
        }
      await Promise.all(places.map(start))
      await holdCards()
      admin = await world.member(at.platform, 'ADMIN')
      second = await world.member(at.platform, 'ADMIN')
    }, 300_000)
    afterAll(() => world.close(), 60_000)

    async function start(place: Place) {
      at[place] = await world.start(settings[place])
    }

    /** All rounds together take longer than an access token is valid. */
    async function signInAgain() {
      for (const who of [admin, second])
        who.authorization = `Bearer ${(await world.signIn(at.platform, who.email)).accessToken}`
    }

    const call = (
      place: Place,
      method: string,
      path: string,
      body?: object,
      by: { authorization: string } = admin,
      headers?: object,
    ) => world.call(at[place], method, path, by.authorization, body, headers)
    const made = (path: string, body: object) =>
      world.made(at.platform, path, admin.authorization, body)

    /** Requests something after a delay; returns whether it was acknowledged before the process died. */
    async function acknowledged(
      after: Promise<unknown>,
      ask: () => Promise<{ status: number }>,
    ): Promise<boolean> {
      await after
      const answer = await ask().catch(() => undefined)
      return answer !== undefined && answer.status < 300
    }

    // ---- Revocations

    interface Revoked {
      /** What its holder may no longer do, or may still do. */
      asks: (() => Promise<boolean>)[]
      /** What is in progress with it when it is revoked. */
      begin?: () => Promise<void>
      revoke: () => Promise<{ status: number }>
    }

    const answers =
      (...asked: Parameters<typeof call>) =>
      async () =>
        (await call(...asked)).status === 200

    /** An account that has tokens and keys. */
    async function account(): Promise<Revoked> {
      const who = await world.member(at.platform)
      const keys = await world.withKeys(at.platform, admin, who)
      const stage = { [stageHeader]: keys.providerId }
      return {
        asks: [
          answers('platform', 'GET', '/api/developer/product', undefined, who),
          ...asksOfKeys(keys),
          ...places.map((place) =>
            answers(place, 'GET', '/api/maple/device', undefined, who, stage),
          ),
        ],
        revoke: () => call('platform', 'PUT', `/api/admin/account/${who.id}`, { enabled: false }),
      }
    }

    const asksOfKeys = ({ api, publish, productId }: ProviderKeys) => [
      answers('platform', 'GET', `/api/developer/product/${productId}`, undefined, publish),
      ...places.map((place) => answers(place, 'GET', '/api/maple/device', undefined, api)),
    ]

    /** A key whose creator stays. */
    async function key(): Promise<Revoked> {
      const who = await world.member(at.platform)
      const { api, providerId } = await world.withKeys(at.platform, admin, who)
      return {
        asks: places.map((place) => answers(place, 'GET', '/api/maple/device', undefined, api)),
        revoke: () =>
          call('platform', 'DELETE', `/api/provider/${providerId}/key/${api.id}`, undefined, who),
      }
    }

    /** The secret of a device that is connected to a gateway. */
    async function secret(gateway: Place, revokesAt: Place): Promise<Revoked> {
      const id = randomUUID()
      await made('/api/maple/device', { id, name: id, type: 'iot', state: 'accepted' })
      const credential = await made('/api/maple/device/credential', { deviceId: id })
      let isOpen = false
      return {
        // After it was requested: being admitted again ends the previous connection.
        async begin() {
          const held =
            (await enter(gateway, credential.secret)) ?? expect.fail('It was not let in.')
          isOpen = true
          held.on('close', () => (isOpen = false))
        },
        asks: [
          // A connection that died with its gateway says nothing about the secret.
          async () => isOpen || (await entersAt(gateway)),
          ...gateways.map((each) => () => entersAt(each)),
        ],
        revoke: () => call(revokesAt, 'DELETE', `/api/maple/device/credential?id=${credential.id}`),
      }

      async function entersAt(place: Place): Promise<boolean> {
        const socket = await enter(place, credential.secret)
        socket?.terminate()
        return socket !== undefined
      }
    }

    /** Undefined if the gateway does not admit a device. */
    async function enter(place: Place, shown: string): Promise<WebSocket | undefined> {
      const socket = new WebSocket(at[place].url.replace(/^http/, 'ws') + deviceSocketPath, {
        headers: { authorization: `Bearer ${shown}` },
      })
      try {
        await once(socket, 'open')
        socket.send('{"t":"hello","v":1,"boot":"x"}')
        const [data] = await Promise.race([
          once(socket, 'message'),
          once(socket, 'close').then(() => ['{}']),
        ])
        if (JSON.parse(String(data)).t === 'welcome') return socket
      } catch {
        // Refused before it is open.
      }
      socket.on('error', () => {}).terminate()
      return undefined
    }

    async function expectRevokedOrNot({ asks }: Revoked, isAcknowledged: boolean) {
      const ask = () => Promise.all(asks.map((each) => each()))
      const from = performance.now()
      let [begun, found] = [0, await ask()]
      while (found.includes(true) && found.includes(false) && begun < 10 * boundMs) {
        await wait(20)
        begun = performance.now() - from
        found = await ask()
      }
      expect(found).toEqual(asks.map(() => !isAcknowledged && found[0]))
      // Requests sent later than this were all answered alike.
      expect(begun).toBeLessThan(boundMs)
    }

    // ---- Cards

    async function card(): Promise<string> {
      const { id, keyVersions } = await made('/api/maple/software_cards', { name: 'Killed' })
      expect(keyVersions).toEqual([0x30])
      await call('platform', 'PUT', `/api/maple/software_cards?id=${id}`, { faults: { delay: 15 } })
      return id
    }

    const elementOf = async (cplc: string) =>
      (await call('platform', 'GET', `/api/maple/se/element?cplc=${cplc}`)).body.items[0]
    const isWorking = async (cplc: string) => {
      const { rows } = await sql`
      select from maple.job where state in ('queued', 'running') and id in (
        select job_id from maple.key_rotation where cplc = ${cplc}
        union all select job_id from maple.approval where subject = ${cplc})`.execute(world.db)
      return rows.length > 0
    }
    const ended = (cplc: string) =>
      expect.poll(() => isWorking(cplc), { ...patience, message: 'its job ends' }).toBe(false)

    /** How often cards received a command, by its second to fourth byte. */
    async function sent(cplc: string, bytes: string): Promise<number> {
      const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from maple.exchange as exchange
      join maple.session as session on session.id = exchange.session_id
      where session.cplc = ${cplc} and encode(exchange.command, 'hex') like ${`__${bytes}%`}
    `.execute(world.db)
      return rows[0]?.count ?? 0
    }

    async function askTermination(cplc: string): Promise<string> {
      const { body } = await call('platform', 'POST', '/api/maple/se/card/terminate', {
        cplc,
        confirm: cplc,
      })
      return body.approvals[0].id
    }
    const approve = (place: Place, id: string) =>
      call(place, 'PUT', `/api/maple/approvals?id=${id}`, { isApproved: true }, second)

    async function terminationOf(cplc: string) {
      const { rows } = await sql<{ lifeCycle: number; events: number }>`
      select (state ->> 'lifeCycle')::int as "lifeCycle", (
        select count(*)::int from maple.event
        where subject = cplc and action = 'element.terminate') as events
      from maple.software_card where cplc = ${cplc}`.execute(world.db)
      const { body } = await call('platform', 'GET', `/api/maple/se/card/operation?cplc=${cplc}`)
      return {
        isTerminated: rows[0]?.lifeCycle === 0xff,
        events: rows[0]?.events,
        isMarked: (await elementOf(cplc)).state === 'terminated',
        operations: body.items.map(({ state }: { state: string }) => state),
        begun: body.items.filter(({ steps }: { steps: { state: string }[] }) =>
          steps.some(({ state }) => state !== 'waiting'),
        ).length,
      }
    }

    /** Either nothing was approved, or it was done and recorded, or it is known not to have been done. */
    async function expectDoneOrOpen(cplc: string, id: string, isAcknowledged: boolean) {
      await ended(cplc)
      const { state } = (await call('platform', 'GET', `/api/maple/approvals?id=${id}`)).body
        .items[0]
      expect(state).toBeOneOf(isAcknowledged ? ['approved'] : ['approved', 'pending'])
      const found = await terminationOf(cplc)
      if (!found.isTerminated) {
        const operations = state === 'pending' ? [] : ['stopped']
        expect(found).toMatchObject({ isTerminated: false, isMarked: false, events: 0, operations })
        await approve('platform', state === 'pending' ? id : await askTermination(cplc))
        await ended(cplc)
      }
      const after = await terminationOf(cplc)
      expect(after).toMatchObject({ isTerminated: true, isMarked: true, events: 1 })
      expect(after.operations[0]).toBe('succeeded')
      // Each operation sends at most once, and one that the card did not receive may be in the log.
      const commands = await sent(cplc, 'f080ff')
      expect(commands).toBeGreaterThan(0)
      expect(commands).toBeLessThanOrEqual(after.begun)
      expect((await approve('platform', id)).body.code).toBe('approval_decided')
    }

    const rotate = (place: Place, cplc: string, version = 0x30) =>
      call(place, 'POST', '/api/maple/se/keys/rotation', { cplc, version })
    const keysOf = async (cplc: string) =>
      (await call('platform', 'GET', `/api/maple/se/keys?cplc=${cplc}`)).body

    /** Whether a session opens with the keys that the vault has for the card. */
    async function opens(cplc: string): Promise<string> {
      const { id } = await made('/api/maple/sessions/se', { cplc })
      await made(`/api/maple/sessions/se/${id}/command`, { kind: 'MplSelect', values: {} })
      const { state } = await made(`/api/maple/sessions/se/${id}/channel`, { level: '03' })
      await made(`/api/maple/sessions/se/${id}/end`, {})
      return state
    }

    /**
     * The card has either its old keys or the new ones, the vault has the same, and both are
     * recorded.
     */
    async function expectKeys(cplc: string, isAcknowledged: boolean) {
      await ended(cplc)
      const { rotation: found } = await keysOf(cplc)
      if (isAcknowledged) expect(found).not.toBeNull()
      if (found && isOpenRotation(found.step)) {
        await call('platform', 'PUT', `/api/maple/se/keys/rotation?id=${found.id}`)
        await ended(cplc)
      }
      const { rotation, items } = await keysOf(cplc)
      const step = rotation?.step ?? 'failed'
      expect(step).toBeOneOf(['committed', 'rolledBack', 'failed'])
      expect(await sent(cplc, 'd8')).toBeLessThanOrEqual(step === 'failed' ? 0 : 1)
      const states = items.map(({ state, origin }: Record<string, string>) => `${origin} ${state}`)
      expect(states.toSorted()).toEqual(
        {
          committed: ['delivered old', 'generated active'],
          rolledBack: ['delivered active', 'generated retired'],
          failed: ['delivered active'],
        }[step as string],
      )
      expect(await opens(cplc)).toBe('done')
      if (step === 'committed') return
      expect((await rotate('platform', cplc)).status).toBeLessThan(300)
      await ended(cplc)
      expect((await keysOf(cplc)).rotation.step).toBe('committed')
      expect(await opens(cplc)).toBe('done')
    }

    // ---- Kills

    /** Cards in `held_card` wait before writing that they are terminated, or their new keys. */
    async function holdCards() {
      await sql`create table maple.held_card (cplc text primary key)`.execute(world.db)
      await sql`
      create function maple.hold_card() returns trigger language plpgsql as $$
      begin
        if exists (select from maple.held_card where cplc = new.cplc) then
          perform pg_advisory_xact_lock_shared(${sql.lit(heldLock)});
        end if;
        return new;
      end
      $$`.execute(world.db)
      await sql`
      create trigger hold_card before update on maple.software_card for each row
      when (new.key_id is distinct from old.key_id
        or (new.state ->> 'lifeCycle')::int = 255 and (old.state ->> 'lifeCycle')::int <> 255)
      execute function maple.hold_card()`.execute(world.db)
    }

    /** Holds cards until the kill, after which their writes either happen or not. */
    async function hold(cplcs: readonly string[], moment: Moment) {
      const pool = openPostgresPool(world.databaseUrl)
      const holder = await pool.connect()
      await sql`delete from maple.held_card`.execute(world.db)
      await sql`insert into maple.held_card select unnest(${cplcs}::text[])`.execute(world.db)
      await holder.query('select pg_advisory_lock($1)', [heldLock])
      const waiting = async () =>
        (
          await sql<{ pid: number }>`
          select pid from pg_locks where locktype = 'advisory' and objid = ${heldLock}
            and not granted`.execute(world.db)
        ).rows.map(({ pid }) => pid)
      return {
        reached: () =>
          expect.poll(async () => (await waiting()).length, patience).toBe(cplcs.length),
        async release() {
          if (moment === 'lost')
            for (const pid of await waiting())
              await sql`select pg_terminate_backend(${pid}, 5000)`.execute(world.db)
          await holder.query('select pg_advisory_unlock($1)', [heldLock])
          holder.release()
          await pool.end()
        },
      }
    }

    interface Claim {
      id: string
      until: string
    }
    /** The claimed work, and the processes that run sessions, with how long each claim holds. */
    async function readClaims() {
      const [jobs, processes] = await Promise.all([
        sql<Claim>`select id, due_at::text as until from maple.job where state = 'running'`.execute(
          world.db,
        ),
        sql<Claim>`select id, alive_until::text as until from maple.session_process`.execute(
          world.db,
        ),
      ])
      return { jobs: jobs.rows, processes: processes.rows, at: performance.now() }
    }

    /** What a killed process had claimed is free a minute after its last heartbeat; here immediately. */
    async function forgetKilled({
      jobs,
      processes,
      at: readAt,
    }: Awaited<ReturnType<typeof readClaims>>) {
      if (jobs.length === 0) return
      await wait(beatMs - (performance.now() - readAt))
      await sql`
      update maple.session_process as process set alive_until = now()
      from json_to_recordset(${JSON.stringify(processes)}::json) as given (id uuid, until timestamptz)
      where process.id = given.id and alive_until = until`.execute(world.db)
      await sql`
      update maple.job as job set due_at = now()
      from json_to_recordset(${JSON.stringify(jobs)}::json) as given (id uuid, until timestamptz)
      where job.id = given.id and state = 'running' and due_at = until`.execute(world.db)
    }

    test.each(places)(
      'the %s is killed: nothing stays half revoked, half approved or half rotated',
      async (victim) => {
        for (let round = 0; round < rounds; round++) {
          await signInAgain()
          const moment = moments[(round + places.indexOf(victim)) % moments.length] ?? 'any'
          const revoked = await Promise.all([
            account(),
            key(),
            secret('first gateway', victim),
            secret('second gateway', victim),
            // This one is revoked by a process that survives, so it certainly takes effect.
            victim === 'first gateway'
              ? secret('second gateway', 'platform')
              : secret('first gateway', victim === 'platform' ? 'second gateway' : 'platform'),
          ])
          const cards = await Promise.all(Array.from({ length: 2 * cardsOfEach }, card))
          const [terminated, rotated] = [cards.slice(cardsOfEach), cards.slice(0, cardsOfEach)]
          const approvals = await Promise.all(terminated.map(askTermination))
          for (const each of revoked)
            expect(await Promise.all(each.asks.map((ask) => ask()))).not.toContain(false)
          for (const { begin } of revoked) await begin?.()

          const held =
            moment === 'any'
              ? undefined
              : await hold([terminated[0], rotated[0]].map(String), moment)
          const atWork = held ? held.reached() : wait(underWayMs.work)
          const killed = atWork.then(() => wait(underWayMs.revocation)).then(() => kill(at[victim]))
          // Held work comes first, since one process does one thing of a kind at a time.
          const begun = (index: number) =>
            wait(held ? Math.min(index, 1) * 500 : Math.random() * underWayMs.work)
          const asked = Promise.all([
            Promise.all(
              revoked.map(({ revoke }) =>
                acknowledged(
                  atWork.then(() => wait(Math.random() * underWayMs.revocation)),
                  revoke,
                ),
              ),
            ),
            Promise.all(
              approvals.map((id, index) => acknowledged(begun(index), () => approve(victim, id))),
            ),
            Promise.all(
              rotated.map((cplc, index) => acknowledged(begun(index), () => rotate(victim, cplc))),
            ),
          ])
          try {
            await killed
          } finally {
            await held?.release()
          }
          const [revocations, approved, rotations] = await asked
          const claims = await readClaims()
          await start(victim)
          await Promise.all(
            revoked.map((each, index) => expectRevokedOrNot(each, revocations[index] ?? false)),
          )
          await forgetKilled(claims)
          await Promise.all([
            ...terminated.map((cplc, index) =>
              expectDoneOrOpen(cplc, approvals[index] ?? '', approved[index] ?? false),
            ),
            ...rotated.map((cplc, index) => expectKeys(cplc, rotations[index] ?? false)),
          ])
        }
      },
      60_000 + rounds * 120_000,
    )
  },
)
