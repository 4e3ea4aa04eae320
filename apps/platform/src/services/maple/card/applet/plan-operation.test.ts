import { expect, test } from 'vitest'
import type { AppletFacts } from './applet.queries.ts'
import { planOperation, type CapFlaws } from './plan-operation.ts'

const applet = {
  packageAid: 'D27600008501',
  version: '1.0',
  state: 'released',
  applets: [{ aid: 'D2760000850101', name: null }],
  imports: [],
  loadSize: 100,
} as unknown as AppletFacts
const contents = { applications: [], loadFiles: [], freeMemory: 10_000 }

const planFor = (flaws: CapFlaws, isVirtual: boolean) =>
  planOperation(
    { kind: 'install', applet, instances: undefined, isOurs: false, flaws },
    { state: 'secured', isVirtual, hasKeys: true, isBusy: false, packages: undefined },
    contents,
  )

test('a package that cannot be linked is refused for a card, and tried on a software card', () => {
  const flaws = { errors: 1, unlinkable: 'Constant 3 names import 5, of 2.' }
  const card = planFor(flaws, false)
  expect(card.findings).toMatchObject([{ severity: 'refused', code: 'cap_unlinkable' }])
  expect(card.actions).toEqual([])
  expect(planFor(flaws, true).actions).toHaveLength(2)
})

test('other errors are a warning, since cards hardly verify code', () => {
  const { findings, actions } = planFor({ errors: 3 }, false)
  expect(findings).toMatchObject([
    { severity: 'warning', code: 'cap_errors', params: { count: '3' } },
  ])
  expect(actions).toHaveLength(2)
})

test('a vendor’s package that a card does not list is uncertain, not refused', () => {
  const vendor = { aid: 'A0000003965400', major: 1, minor: 0 }
  const plan = (packages: [] | undefined) =>
    planOperation(
      {
        kind: 'install',
        applet: { ...applet, imports: [vendor] },
        instances: undefined,
        isOurs: false,
        flaws: { errors: 0 },
      },
      { state: 'secured', isVirtual: false, hasKeys: true, isBusy: false, packages },
      contents,
    ).findings.map(({ severity, code }) => `${severity} ${code}`)
  expect(plan(undefined)).toEqual(['warning import_unlisted'])
  expect(plan([])).toEqual(['refused import_missing'])
})
