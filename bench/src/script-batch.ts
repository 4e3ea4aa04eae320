import { newCard } from '@grove/secure-element/card/card-state'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { commandsOf } from '@grove/secure-element/host/command-kinds'
import type { SeTransport } from '@grove/secure-element/host/transport'
import { hostKeys, type KeySource } from '@grove/secure-element/secure-channel/key-source'
import { openSecureChannel } from '@grove/secure-element/secure-channel/open-channel'
import type { Actor } from '../../apps/platform/src/core/actor.ts'
import { openSandbox } from '../../apps/platform/src/core/sandbox/open-sandbox.ts'
import { everything } from '../../apps/platform/src/core/scope.ts'
import type { ElementSession } from '../../apps/platform/src/services/maple/card/session/element-session.ts'
import { keySetsOf } from '../../apps/platform/src/services/maple/card/software-card/software-card.rules.ts'
import type { ProgramContext } from '../../apps/platform/src/services/maple/program/context.ts'
import { sessionCalls } from '../../apps/platform/src/services/maple/program/script/script-calls.ts'
import { scriptPrelude } from '../../apps/platform/src/services/maple/program/script/script-prelude.ts'
import { secretHandles } from '../../apps/platform/src/services/maple/program/secret/secret-handles.ts'
import { row, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { median } from './support/statistics.ts'

const level = 0x33
const ofBatch = 100
/** As in `scp`: the bytes that a script writes to a card, or reads from it, in one command. */
const dataBytes = 200

export const batchHow = `A script sends STORE DATA with ${dataBytes} bytes through a channel at level 33 in batches of ${ofBatch}, to a software card in the same process that answers at once: from the start of the program to its end, with all exchanges stored. The bare channel sends the same commands to the same card, without a session. In turns; medians of the rounds.`

const given = {
  kind: 'MplStoreData',
  data: `5F5081${dataBytes.toString(16)}${'A5'.repeat(dataBytes)}`,
  format: 'tlv',
} as const

/** A session over this transport. */
type Open = (transport: SeTransport, keys: KeySource) => Promise<ElementSession>

/** Commands per second of a script's batches, compared with the plain channel. */
export async function batchRow(open: Open, { isQuick, atEnd }: BenchContext): Promise<Row> {
  const sandbox = openSandbox()
  atEnd(sandbox.close)
  const count = (isQuick ? 10 : 50) * ofBatch
  const state = newCard({ seed: 'bench' })
  const keys: KeySource = (greeting, challenge) => {
    const set = keySetsOf(state).find(({ version }) => version === greeting.keyVersion)
    if (!set) throw new Error('The card has no such keys.')
    return hostKeys(set.keys, greeting, challenge)
  }
  const card = () => {
    const made = softwareCard(structuredClone(state))
    return { transmit: (bytes: Uint8Array) => made.transmit(bytes) }
  }

  const session = await open(card(), keys)
  await session.select()
  await session.openChannel({ level })
  const calls = sessionCalls({} as ProgramContext, actor, session, secretHandles(new Map()))
  const script = async (code: string) => {
    const run = await sandbox.run({
      owner: 'bench',
      code,
      input: {},
      prelude: `globalThis.script = {};${scriptPrelude}`,
      calls,
      limits: { calls: count + 1, fuel: 1_000_000 },
    })
    if (run.outcome !== 'returned') throw new Error(JSON.stringify(run))
    await session.flush()
  }
  const batches = `
    const commands = Array(${ofBatch}).fill(${JSON.stringify(given)})
    for (let at = 0; at < ${count / ofBatch}; at++)
      if (se.batch(commands).length !== ${ofBatch}) throw new Error('It stopped.')`
  const single = `
    for (let at = 0; at < ${count / 10}; at++) se.send(${JSON.stringify(given)})`

  const { kind, ...values } = given
  const [command] = commandsOf(kind, values)
  if (!command) throw new Error('There is no command.')
  const channel = await openSecureChannel(card(), { keys, level })
  const bare = async () => {
    for (let at = 0; at < count; at += 1) await channel.send(command)
  }

  const rates = { bare: [] as number[], batches: [] as number[], single: [] as number[] }
  const rate = async (commands: number, work: () => Promise<void>) => {
    const start = performance.now()
    await work()
    return (commands / (performance.now() - start)) * 1000
  }
  for (let round = -2; round < (isQuick ? 5 : 15); round += 1) {
    const found = {
      bare: await rate(count, bare),
      batches: await rate(count, () => script(batches)),
      single: await rate(count / 10, () => script(single)),
    }
    // The first rounds run cold code.
    if (round < 0) continue
    for (const name of ['bare', 'batches', 'single'] as const) rates[name].push(found[name])
  }
  const [alone, batched, one] = [rates.bare, rates.batches, rates.single].map((each) =>
    Math.round(median(each)),
  )
  return row('scripts’ batches, of the bare channel', ((batched ?? 0) / (alone ?? 1)) * 100, '%', {
    budget: { atLeast: 60 },
    note: `${batched} commands a second, ${alone} bare, ${one} one by one`,
  })
}

const actor: Actor = {
  id: 'bench',
  roles: [],
  sessionId: undefined,
  origin: { requestId: '', ip: '', userAgent: '' },
  mandate: { rights: [], scope: everything },
}
