import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startTestServer, type TestServer } from './core/testing/test-platform.ts'
import { gateway } from './services/maple/gateway.ts'
import { maple } from './services/maple/index.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url))
const text = (name: string) => readFileSync(pathOf(name), 'utf8')

let server: TestServer
let exported = ''
beforeAll(async () => {
  server = await startTestServer([maple, gateway])
  await server.app.inject('/api/maple/device')
  exported = (await server.app.inject('/metrics')).body
})
afterAll(() => server.close())

interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[]
}
interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[]
}

const { groups } = parse(text('deploy/prometheus/rules.yaml')) as Rules
const rules = groups.flatMap((group) => group.rules)
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...(JSON.parse(text('deploy/prometheus/dashboard.json')) as Dashboard).panels.flatMap(
    ({ title, targets }) => targets.map(({ expr }) => [title, expr] as const),
  ),
]

test.each(expressions)('%s uses only metrics and labels that exist', (_name, expr) => {
  const named = expr.match(/\b(grove|nodejs|process)_[a-z0-9_]+/g) ?? []
  expect(named).not.toEqual([])
  const labels: string[] = ['instance', 'le']
  for (const each of named) {
    const metric = each.replace(/_(bucket|sum|count)$/, '')
    expect(exported).toContain(`# TYPE ${metric} `)
    const lines = exported.split('\n').filter((line) => line.startsWith(metric))
    labels.push(...lines.flatMap((line) => line.match(/[a-z]+(?==")/g) ?? []))
  }
  // No failure has been counted yet that would have this label.
  labels.push('code')
  const used = [...expr.matchAll(/by \(([^)]+)\)|\{([a-z]+)=/g)].flatMap(([, by, one]) =>
    (by ?? one ?? '').split(', '),
  )
  for (const label of used) expect(labels).toContain(label)
})

test('the tables of metrics and alarms are complete', () => {
  const table = text('docs/security/alarms.md')
  for (const [, metric] of exported.matchAll(/# TYPE (\S+) /g)) expect(table).toContain(metric)
  for (const { alert } of rules) expect(table).toContain(`\`${alert}\``)
})

test('promtool accepts the rules (needs prometheus)', ({ skip }) => {
  const checked = spawnSync('promtool', ['check', 'rules', pathOf('deploy/prometheus/rules.yaml')])
  if (checked.error) skip('promtool is not installed')
  expect(String(checked.stdout) + String(checked.stderr)).toContain('SUCCESS')
})
