import { sampleDevice } from '../../apps/platform/src/sample/fleet-device.ts'
import { row, type Benchmark, type Row } from './benchmark.ts'
import type { BenchContext } from './support/bench-context.ts'
import { engineNames, engines, type Fleet } from './support/fleet.ts'
import { createSend, jsonOf, type Send } from './support/http-client.ts'
import { startPlatform } from './support/server-process.ts'
import { createSignIn } from './support/sign-in.ts'
import { createRandom, percentile } from './support/statistics.ts'

const wholeFleet = 1_000_000
const warmUpRounds = 3
const worstShown = 8

export const mapleLists: Benchmark = {
  name: 'maple',
  title: 'Overview and other lists of Maple, one call at a time',
  how: '`GET` of the overview, and of the lists of secure elements, accounts, service providers, jobs and events over HTTP with an administrator’s token, one call after another, on the sample fleet (two elements a device, an account for twenty). Each group walks on from page to page, 50 a page, and begins again at its end; a search asks for the element of a device chosen at random. The budget of a page is held against the group with the largest p95, that of the overview against its own.',
  run: async (bench) => {
    const rows: Row[] = []
    const details: string[] = []
    for (const engine of engines) {
      const fleet = await bench.fleet(engine)
      const groups = await measureLists(fleet, bench)
      rows.push(...listRows(fleet, groups, bench))
      details.push(listTable(fleet, groups))
    }
    return { rows, details: details.join('\n\n') }
  },
}

interface Group {
  name: string
  path: string
  query: (cplc: string) => Record<string, string>
  samples: number[]
  /** Cursor of the next page. */
  cursor?: string | undefined
}

const overview = 'overview'
/** By someone who sees only one service provider, about a tenth of the devices. */
const scoped = 'overview of a service provider'
const isOverview = ({ name }: Pick<Group, 'name'>) => name === overview || name === scoped
const chipOf = (cplc: string) => cplc.slice(0, 8) + cplc.slice(20, 36)

const views: [name: string, path: string, query: Group['query']][] = [
  [overview, '/api/maple/about', () => ({})],
  [scoped, '/api/maple/about', () => ({})],
  ...Object.entries<Group['query']>({
    'no filter': () => ({}),
    backwards: () => ({ order: 'desc' }),
    'with count': () => ({ count: 'true' }),
    'common state': () => ({ state: 'secured' }),
    'rare state': () => ({ state: 'blocked' }),
    'rare state with count': () => ({ state: 'blocked', count: 'true' }),
    'in an HSM': () => ({ hsm: 'true' }),
    'in no device': () => ({ attached: 'false' }),
    'one chip type': () => ({ chipType: '4790D321' }),
    'whole CPLC': (q) => ({ q }),
    'beginning of a CPLC': (cplc) => ({ q: cplc.slice(0, 30) }),
    'common beginning': () => ({ q: '4790' }),
    'chip id': (cplc) => ({ q: chipOf(cplc) }),
    'IC serial': (cplc) => ({ q: cplc.slice(24, 32) }),
  }).map(([name, query]): (typeof views)[number] => [
    `elements: ${name}`,
    '/api/maple/se/element',
    query,
  ]),
  ...Object.entries<Record<string, string>>({
    'no filter': {},
    'by expiry': { sort: 'expiresAt', order: 'asc' },
    'by id': { sort: 'id' },
    expired: { validity: 'expired', sort: 'expiresAt' },
    expiring: { validity: 'expiring', sort: 'expiresAt' },
    'of a role': { role: 'operator' },
    'of a service provider': { serviceId: 'parkwise' },
    search: { q: 'a' },
  }).map(([name, query]): (typeof views)[number] => [
    `accounts: ${name}`,
    '/api/maple/account',
    () => query,
  ]),
  ...Object.entries<Record<string, string>>({
    'no filter': {},
    suspended: { state: 'suspended' },
    search: { q: 'p' },
  }).map(([name, query]): (typeof views)[number] => [
    `service providers: ${name}`,
    '/api/maple/service',
    () => query,
  ]),
  ['jobs', '/api/maple/job', () => ({})],
  ['events', '/api/maple/event', () => ({})],
]

export async function measureLists(fleet: Fleet, bench: BenchContext): Promise<Group[]> {
  const { devices, isQuick, say } = bench
  const groups: Group[] = views.map(([name, path, query]) => ({ name, path, query, samples: [] }))
  const rounds = isQuick ? 5 : 200
  const random = createRandom(1)
  const now = Date.now()
  const server = await startPlatform(bench, fleet.env)
  const send = createSend(server.url)
  const signIn = createSignIn(send, 'admin')
  const member = createSignIn(send, 'developer')
  try {
    await addMember(send, await signIn(), await member())
    for (let round = -warmUpRounds; round < rounds; round += 1) {
      if (round % 50 === 0) say(`${engineNames[fleet.engine]}: round ${round} of ${rounds}`)
      for (const group of groups) {
        const search = new URLSearchParams({
          ...group.query(cplcOf(Math.floor(random() * devices), now)),
          ...(!isOverview(group) && { limit: '50' }),
          ...(group.cursor !== undefined && { cursor: group.cursor }),
        })
        const headers = await (group.name === scoped ? member : signIn)()
        const answer = await send('GET', `${group.path}?${search}`, { headers })
        const { items, next }: { items?: unknown[]; next?: string | null } = jsonOf(answer)
        if (group.name.includes('CPLC') && items?.length === 0)
          throw new Error(`${group.name}: no element.`)
        // A search looks for another element each time; other groups continue with the next page.
        group.cursor =
          group.path.endsWith('element') && search.has('q') ? undefined : (next ?? undefined)
        if (round >= 0) group.samples.push(answer.milliseconds)
      }
    }
    return groups
  } finally {
    await server.stop()
  }
}

type Headers = { authorization: string }

/** Gives the sample developer an account of one service provider; an existing one is fine. */
async function addMember(send: Send, admin: Headers, member: Headers): Promise<void> {
  const { user_id: id }: { user_id: string } = jsonOf(
    await send('GET', '/api/user/info', { headers: member }),
  )
  const body = { id, roles: ['viewer'], serviceId: 'parkwise' }
  await send('POST', '/api/maple/account', { headers: admin, body })
}

/** The first element of the device at an index, or of the next one that has one. */
function cplcOf(place: number, now: number): string {
  for (let index = place; ; index += 1) {
    const [cplc] = sampleDevice(index, now).cplc
    if (cplc !== undefined) return cplc
  }
}

const byP95 = (groups: readonly Group[]) =>
  groups.toSorted((a, b) => percentile(b.samples, 0.95) - percentile(a.samples, 0.95))

export function listRows(
  { engine }: Fleet,
  groups: readonly Group[],
  { devices }: BenchContext,
): Row[] {
  const name = engineNames[engine]
  const abouts = groups.filter(isOverview)
  const lists = groups.filter((group) => !isOverview(group))
  const [worst] = byP95(lists)
  if (!worst || abouts.length === 0) throw new Error('There are no groups.')
  const isBudgeted = engine === 'postgres' && devices >= wholeFleet
  return [
    ...abouts.map(({ name: view, samples }) =>
      row(`${view} on ${name}, p95`, percentile(samples, 0.95), 'ms', {
        budget: isBudgeted ? { atMost: 100 } : undefined,
        note: `median ${percentile(samples, 0.5).toFixed(1)} ms`,
      }),
    ),
    row(
      `all lists on ${name}, p95`,
      percentile(
        lists.flatMap(({ samples }) => samples),
        0.95,
      ),
      'ms',
      {
        note: `${lists.length} groups of ${worst.samples.length} samples`,
      },
    ),
    row(`worst list on ${name}, p95`, percentile(worst.samples, 0.95), 'ms', {
      budget: isBudgeted ? { atMost: 50 } : undefined,
      note: worst.name,
    }),
  ]
}

export const listTable = ({ description }: Fleet, groups: readonly Group[]): string =>
  [
    `### ${description}`,
    '',
    `| slowest ${worstShown} groups | p50 ms | p95 ms |`,
    '|---|--:|--:|',
    ...byP95(groups)
      .slice(0, worstShown)
      .map(
        ({ name, samples }) =>
          `| ${name} | ${percentile(samples, 0.5).toFixed(1)} | ${percentile(samples, 0.95).toFixed(1)} |`,
      ),
  ].join('\n')
