import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Finding } from '../../src/cli/check.ts'
import { linesOf } from '../../src/cli/print.ts'
import { callFaults } from './call-faults.ts'
import { cookieFaults } from './cookie-faults.ts'
import { corsFaults } from './cors-faults.ts'
import { keyFaults } from './key-faults.ts'
import { jwksPath, origin, type Row } from './row.ts'
import { runCommand } from './run-command.ts'
import { sessionFaults } from './session-faults.ts'
import { tokenFaults } from './token-faults.ts'
import { account, closeReference, startVariation, type Fault } from './variation.ts'

// On a busy machine a check takes seconds.
vi.setConfig({ testTimeout: 30_000 })

afterAll(closeReference)

async function checkOf({ fault, args = [], isPublic }: Omit<Row, 'name' | 'finds' | 'exit'>) {
  const service = await startVariation(fault)
  onTestFinished(() => service.close())
  const { url } = service
  const own = args.map((arg) => (arg === 'own' ? url : arg))
  const page = own.includes('--origin') ? [] : ['--origin', origin]
  const env = isPublic ? {} : { GROVE_EMAIL: account.email, GROVE_PASSWORD: account.password }
  const command = ['check', url, '--jwks', jwksPath, '--json', ...page, ...own]
  const { code, output } = await runCommand(command, { env })
  const { findings } = JSON.parse(output) as { findings: Finding[] }
  const faults = findings.filter(({ level }) => level === 'wrong' || level === 'warning')
  return { code, findings, faults }
}

const lineOf = (finding: Finding) => linesOf(finding, false).join(' ')

const fit: [string, Fault][] = [
  ['the reference server', {}],
  [
    'one that answers 201',
    { replies: ({ status }) => (status === 200 ? { status: 201 } : undefined) },
  ],
  [
    'one of tokens with iss and aud',
    { claims: (all) => ({ ...all, iss: 'https://id.example', aud: ['grove', 'other'] }) },
  ],
]

test.each(fit)('%s fits, without a warning', async (_, fault) => {
  const args = fault.claims ? ['--issuer', 'https://id.example', '--audience', 'grove'] : []
  const { code, findings, faults } = await checkOf({ fault, args })
  expect(faults).toEqual([])
  expect(findings.filter(({ level }) => level === 'skipped').map(({ code }) => code)).toEqual([
    'no_external',
  ])
  expect(findings.length).toBeGreaterThan(20)
  expect(code).toBe(0)
})

test.each([
  ['CORS', corsFaults],
  ['keys', keyFaults],
  ['tokens', tokenFaults],
  ['sessions', sessionFaults],
  ['the other calls', callFaults],
  ['cookies', cookieFaults],
])(
  'each fault of %s is found, by its words, and nothing else is',
  { timeout: 60_000 },
  async (_, rows) => {
    for (const { name, finds, exit, ...row } of rows) {
      const { code, faults } = await checkOf(row)
      const found = Object.fromEntries(faults.map((each) => [each.code, lineOf(each)]))
      const words = Object.entries(finds).map(([code, text]) => [
        code,
        expect.stringContaining(text),
      ])
      expect.soft(found, name).toEqual(Object.fromEntries(words))
      expect.soft(code, name).toBe(exit)
      expect
        .soft(
          faults.filter(({ right }) => !right),
          name,
        )
        .toEqual([])
    }
  },
)

test('there are enough faulty services', () => {
  const rows = [corsFaults, keyFaults, tokenFaults, sessionFaults, callFaults, cookieFaults].flat()
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
})
