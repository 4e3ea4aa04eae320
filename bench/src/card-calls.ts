import { setTimeout as wait } from 'node:timers/promises'
import type { Applet } from '@grove/contract/maple/card/applet'
import type { AppletOperation } from '@grove/contract/maple/card/applet-operation'
import type { ElementSession, RanCommand } from '@grove/contract/maple/card/session'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { maxCards } from '@grove/contract/maple/card/software-card.rules'
import { makeCap, sampleCap } from '@grove/secure-element/cap/make-cap'
import { startPostgres } from '../../apps/platform/src/core/testing/postgres-server.ts'
import { row, type Benchmark } from './benchmark.ts'
import { createSend, jsonOf } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const atMostGets = 4
const size = 8 * 1024
const lookMs = 100

type Ask = <T>(method: string, path: string, body?: object) => Promise<T>

export const cardCallBenchmark: Benchmark = {
  name: 'card-calls',
  title: 'Calls to cards, and an applet on many',
  how: `One platform with PostgreSQL on the same machine, called over HTTP, one call after another. A command is a GET DATA through an open secure channel of a session with a software card; its median time against that of reading one element by its id. Then a package of ${size / 1024} kB is installed on software cards by one operation, four at a time; the time from the call until the operation has ended, for each card.`,
  run: async (bench) => {
    const server = await startPostgres()
    bench.atEnd(server.stop)
    const platform = await startPlatform(bench, {
      GROVE_DATA: await bench.folder('platform'),
      DATABASE_URL: server.url,
      GROVE_CHANGES_PER_MINUTE: '0',
    })
    const send = createSend(platform.url)
    const signIn = createSignIn(send, 'admin')
    const ask = async <T>(method: string, path: string, body?: object): Promise<T> =>
      jsonOf(await send(method, path, { headers: await signIn(), ...(body && { body }) })) as T
    const { command, get } = await commandTimes(ask, bench.isQuick ? 100 : 1000)
    const cards = bench.isQuick ? 20 : 1000
    const each = await installed({ ask, url: platform.url, signIn }, cards)
    await platform.stop()
    return {
      rows: [
        row('one command over the API, to one GET', command / get, '×', {
          budget: { atMost: atMostGets },
          note: `${command.toFixed(2)} ms and ${get.toFixed(2)} ms`,
        }),
        row(`an applet of 8 kB on ${cards} software cards, per card`, each, 'ms'),
      ],
    }
  },
}

async function commandTimes(ask: Ask, rounds: number) {
  const { id: cplc } = await ask<SoftwareCard>('POST', '/api/maple/software_cards', { name: 'One' })
  const sessions = '/api/maple/sessions/se'
  const { id } = await ask<ElementSession>('POST', sessions, { cplc })
  await ask('POST', `${sessions}/${id}/command`, { kind: 'MplSelect', values: {} })
  await ask('POST', `${sessions}/${id}/channel`, { level: '33' })
  const [commands, gets]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    const { state } = await ask<RanCommand>('POST', `${sessions}/${id}/command`, {
      kind: 'MplGetData',
      values: { tag: '9F7F' },
    })
    if (state !== 'done') throw new Error(`The command ended as ${state}.`)
    const between = performance.now()
    await ask('GET', `/api/maple/se/element?cplc=${cplc}`)
    const end = performance.now()
    // The first rounds run cold code.
    if (round < rounds / 10) continue
    commands.push(between - start)
    gets.push(end - between)
  }
  await ask('POST', `${sessions}/${id}/end`)
  return { command: median(commands), get: median(gets) }
}

interface Client {
  ask: Ask
  url: string
  signIn: () => Promise<{ authorization: string }>
}

async function installed({ ask, url, signIn }: Client, count: number): Promise<number> {
  const elements: string[] = []
  for (let made = 0; made < count; made++) {
    const serviceId = `bench-${Math.floor(made / maxCards)}`
    if (made % maxCards === 0)
      await ask('POST', '/api/maple/service', { id: serviceId, name: `Bench ${serviceId}` })
    const card = { name: `Card ${made}`, serviceId }
    elements.push((await ask<SoftwareCard>('POST', '/api/maple/software_cards', card)).id)
  }
  const form = new FormData()
  form.append('file', new Blob([makeCap({ ...sampleCap, size })]), 'bench.cap')
  const uploaded = await fetch(`${url}/api/maple/applets`, {
    method: 'POST',
    headers: await signIn(),
    body: form,
  })
  const applet = (await uploaded.json()) as Applet
  const start = performance.now()
  const { id } = await ask<AppletOperation>('POST', `/api/maple/applets/${applet.id}/operation`, {
    kind: 'install',
    elements,
  })
  for (;;) {
    const { items } = await ask<{ items: AppletOperation[] }>(
      'GET',
      `/api/maple/applets/operation?id=${id}`,
    )
    if (items[0]?.state === 'completed') {
      if (items[0].succeeded !== count) throw new Error(`${items[0].failed} cards failed.`)
      return (performance.now() - start) / count
    }
    await wait(lookMs)
  }
}
