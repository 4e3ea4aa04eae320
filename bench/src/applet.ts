import { setTimeout as wait } from 'node:timers/promises'
import type { Applet } from '@grove/contract/maple/card/applet'
import type { AppletOperation, AppletTarget } from '@grove/contract/maple/card/applet-operation'
import type { Exchange } from '@grove/contract/maple/card/session'
import type { SoftwareCard } from '@grove/contract/maple/card/software-card'
import { makeCap, sampleCap } from '@grove/secure-element/cap/make-cap'
import { row, type Benchmark } from './benchmark.ts'
import { createSend, jsonOf, type Send } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

const size = 8 * 1024
const latencyMs = 50
const lookMs = 20
const atMost = 1.1

interface Client {
  send: Send
  url: string
  headers: { authorization: string }
}

export const appletBenchmark: Benchmark = {
  name: 'applet',
  title: 'Install of an applet',
  how: `A package of ${size / 1024} kB is installed on a software card whose every reply takes ${latencyMs} ms: secure channel, registry, INSTALL, LOAD, INSTALL, registry again. The time from the first command to the last reply, as the log of the session has them, against the sum of the latencies of its exchanges. Medians over cards.`,
  run: async (bench) => {
    const platform = await startPlatform(bench, { GROVE_DATA: await bench.folder('platform') })
    const send = createSend(platform.url)
    const signIn = createSignIn(send, 'admin')
    const ratios: number[] = []
    const added: number[] = []
    let exchanges = 0
    for (let round = 0; round < (bench.isQuick ? 2 : 10); round += 1) {
      const headers = await signIn()
      const client = { send, url: platform.url, headers }
      const { took, sum, count } = await install(client, round)
      ratios.push(took / sum)
      added.push((took - sum) / count)
      exchanges = count
    }
    await platform.stop()
    return {
      rows: [
        row('install of 8 kB at 50 ms, to the sum of its round trips', median(ratios), '×', {
          budget: { atMost },
          note: `${exchanges} exchanges, ${median(added).toFixed(2)} ms added to each`,
        }),
      ],
    }
  },
}

async function install({ send, url, headers }: Client, round: number) {
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> =>
    jsonOf(await send(method, path, { headers, ...(body && { body }) })) as T
  const cards = '/api/maple/software_cards'
  const card = await ask<SoftwareCard>('POST', cards, { name: `Bench ${round}` })
  await ask('PUT', `${cards}?id=${card.id}`, { faults: { delay: latencyMs } })
  const form = new FormData()
  form.append('file', new Blob([makeCap({ ...sampleCap, size, minor: round })]), 'bench.cap')
  const uploaded = await fetch(`${url}/api/maple/applets`, { method: 'POST', headers, body: form })
  const applet = (await uploaded.json()) as Applet
  const { id } = await ask<AppletOperation>('POST', `/api/maple/applets/${applet.id}/operation`, {
    kind: 'install',
    elements: [card.id],
  })
  for (;;) {
    const path = `/api/maple/applets/operation/${id}/target`
    const [target] = (await ask<{ items: AppletTarget[] }>('GET', path)).items
    if (target?.finishedAt && target.sessionId !== null) {
      if (target.state !== 'succeeded') throw new Error(`The install ended as ${target.state}.`)
      return timesOf(await ask('GET', exchangesOf(target.sessionId)))
    }
    await wait(lookMs)
  }
}

const exchangesOf = (sessionId: string) => `/api/maple/sessions/se/${sessionId}/exchange?limit=200`

function timesOf({ items }: { items: Exchange[] }) {
  const [first, last] = [items[0], items.at(-1)]
  if (!first || !last) throw new Error('The session has no exchanges.')
  const sum = items.reduce((all, { latencyMs: one }) => all + (one ?? 0), 0)
  const took = Date.parse(last.at) + (last.latencyMs ?? 0) - Date.parse(first.at)
  return { took, sum, count: items.length }
}
