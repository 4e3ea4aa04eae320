import { chromium } from '@playwright/test'
import { findChromium } from '../../scripts/chromium.mjs'
import { row, type Benchmark, type Row } from './benchmark.ts'
import { openSession } from './support/browser-session.ts'
import { scriptBytes, visit, type Page, type Visit } from './support/page-visit.ts'
import { startPlatform } from './support/server-process.ts'
import type { SampleRole } from './support/sign-in.ts'
import { median } from './support/statistics.ts'

interface Measured extends Page {
  name: string
  role?: SampleRole
  /** `script` in kB, `ready` in seconds. */
  budgets: { script?: number; requests?: number; ready: number }
}

const listBudgets = { script: 146, requests: 12, ready: 1.9 }
// A skeleton row has no name.
const firstRow = 'main tbody tr[aria-label]'

const pages: Measured[] = [
  {
    name: 'login',
    path: '/login',
    // The form that is part of the page itself.
    ready: '#early-form input[name=email]:enabled',
    budgets: { ready: 0.9 },
  },
  {
    name: 'login with its scripts',
    path: '/login',
    ready: '#root input[name=email]:enabled',
    budgets: { script: 120, ready: 1.5 },
  },
  {
    name: 'device list',
    path: '/dashboard/maple/devices',
    ready: firstRow,
    role: 'admin',
    budgets: listBudgets,
  },
  {
    name: 'product list',
    path: '/dashboard/cedar/mobile',
    ready: firstRow,
    role: 'developer',
    budgets: listBudgets,
  },
]

export const pagesBenchmark: Benchmark = {
  name: 'pages',
  title: 'Pages',
  how: 'The built console, served by the platform, in Chromium with 4× slower CPU, 1.6 Mbit/s and 150 ms latency, each visit with an empty cache; lists with a session already stored. Ready: from the start of the navigation until the email field is visible and enabled (the one in the page, then the one of the scripts, which takes over what was typed), or the first row of the table is visible; median. JavaScript: bodies as transferred (brotli) of every script asked for until ready, largest of the visits; requests likewise, without those that the cache answers. What is asked for after that, ahead of the next page, stands in the note.',
  run: async (bench) => {
    const { folder, isQuick, say } = bench
    const { path } = findChromium()
    const server = await startPlatform(bench, { GROVE_DATA: await folder('pages') })
    const browser = await chromium.launch({ executablePath: path })
    const rows: Row[] = []
    const details: string[] = []
    try {
      for (const page of pages) {
        const session = page.role && (await openSession(browser, server.url, page.role))
        const visits: Visit[] = []
        for (let round = 0; round < (isQuick ? 1 : 5); round += 1)
          visits.push(await visit(browser, server.url, page, session))
        say(`${page.name}: ready in ${visits.map(({ ready }) => ready.toFixed(0)).join(', ')} ms`)
        rows.push(...rowsOf(page, visits))
        details.push(requestTable(page, visits))
      }
      return {
        rows: [...rows.filter(isReady), ...rows.filter((each) => !isReady(each))],
        details: details.join('\n\n'),
      }
    } finally {
      await browser.close()
      await server.stop()
    }
  },
}

const isReady = ({ unit }: Row) => unit === 's'

function rowsOf({ name, budgets }: Measured, visits: readonly Visit[]): Row[] {
  const most = (of: (visit: Visit) => number) => Math.max(...visits.map(of))
  const ready = visits.map((visit) => visit.ready / 1000)
  const script = (of: Visit['settled']) => scriptBytes(of) / 1000
  const settled = `${most((visit) => script(visit.settled)).toFixed(1)} kB and ${most((visit) => visit.settled.length)} requests once quiet`
  return [
    row(`${name}: ready`, median(ready), 's', {
      budget: { atMost: budgets.ready },
      note: `${Math.min(...ready).toFixed(2)} to ${Math.max(...ready).toFixed(2)} s`,
    }),
    row(
      `${name}: JavaScript`,
      most(({ untilReady }) => script(untilReady)),
      'kB',
      {
        budget: budgets.script === undefined ? undefined : { atMost: budgets.script },
        note: settled,
      },
    ),
    row(
      `${name}: requests`,
      most(({ untilReady }) => untilReady.length),
      '',
      {
        budget: budgets.requests === undefined ? undefined : { atMost: budgets.requests },
      },
    ),
  ]
}

/** What the median visit waited for. */
function requestTable({ name }: Measured, visits: readonly Visit[]): string {
  const middle = visits.find(({ ready }) => ready === median(visits.map((visit) => visit.ready)))
  if (!middle) throw new Error('There are no visits.')
  const lines = middle.untilReady.map(
    ({ path, askedAt, answeredAt, bytes }) =>
      `| ${path} | ${askedAt.toFixed(0)} | ${answeredAt.toFixed(0)} | ${(bytes / 1000).toFixed(1)} |`,
  )
  return [
    `### ${name}: requests until ready at ${middle.ready.toFixed(0)} ms`,
    '',
    '| path | asked at ms | answered at ms | body kB |',
    '|---|--:|--:|--:|',
    ...lines,
  ].join('\n')
}
