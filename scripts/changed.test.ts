import { expect, test } from 'vitest'
import { chooseTests } from './changed.ts'

const maple = 'apps/platform/src/services/maple'
const features = 'apps/console/src/features/maple'
const routes = 'apps/console/src/routes/_app/dashboard/maple'
const graph = new Map([
  [`${maple}/index.ts`, [`${maple}/fleet/device/device.routes.ts`, `${maple}/rollout/advance.ts`]],
  [`${maple}/fleet/device/device.routes.ts`, [`${maple}/fleet/device/device.service.ts`]],
  [`${maple}/fleet/device/device.service.ts`, []],
  [`${maple}/fleet/device/device.test.ts`, [`${maple}/index.ts`]],
  [`${maple}/rollout/advance.ts`, [`${maple}/fleet/device/device.service.ts`]],
  [`${maple}/rollout/advance.test.ts`, [`${maple}/rollout/advance.ts`]],
  ['apps/platform/src/scopes.test.ts', [`${maple}/index.ts`]],
  [`${features}/fleet/device/device.list.tsx`, []],
  [`${features}/fleet/device/device.test.ts`, [`${features}/fleet/device/device.list.tsx`]],
  [`${routes}/devices.tsx`, [`${features}/fleet/device/device.list.tsx`]],
  [`${routes}/rollouts/$id.tsx`, []],
  ['scripts/walls.test.ts', []],
])
const scenarios = new Map([
  ['e2e/devices.spec.ts', "goto('/dashboard/maple/devices')"],
  ['e2e/device-page.spec.ts', 'goto(`/dashboard/maple/devices/${id}`)'],
  ['e2e/overview.spec.ts', "goto('/dashboard/maple')"],
])
const chosenFor = (...changed: string[]) => chooseTests(graph, scenarios, changed)
const house = 'scripts/walls.test.ts'

test('a change of a service runs its own tests, those that load it, and what is seen on its pages', () => {
  expect(chosenFor(`${maple}/fleet/device/device.service.ts`)).toEqual({
    tests: [`${maple}/fleet/device/device.test.ts`, `${maple}/rollout/advance.test.ts`, house],
    scenarios: ['e2e/devices.spec.ts'],
  })
})

test('a change of a page runs its tests and the scenarios that open it', () => {
  expect(chosenFor(`${features}/fleet/device/device.list.tsx`)).toEqual({
    tests: [`${features}/fleet/device/device.test.ts`, house],
    scenarios: ['e2e/devices.spec.ts'],
  })
})

test('a change of a contract runs the tests of its service, and the scenarios of its pages', () => {
  expect(chosenFor('packages/contract/src/maple/fleet/device.rules.ts')).toEqual({
    tests: [`${maple}/fleet/device/device.test.ts`, house],
    scenarios: ['e2e/devices.spec.ts'],
  })
})

test('a migration runs every test that starts its service', () => {
  expect(chosenFor(`${maple}/migrations/0099_more.sql`).tests).toEqual([
    'apps/platform/src/scopes.test.ts',
    `${maple}/fleet/device/device.test.ts`,
    house,
  ])
})

test('a file that was deleted runs the tests beside it, and is none itself', () => {
  expect(chosenFor(`${maple}/fleet/device/gone.test.ts`).tests).toEqual([
    `${maple}/fleet/device/device.test.ts`,
    house,
  ])
})

test('a scenario that changed runs', () => {
  expect(chosenFor('e2e/overview.spec.ts').scenarios).toEqual(['e2e/overview.spec.ts'])
})

test.each(['package-lock.json', 'vitest.config.ts', 'apps/console/build/chunks.ts'])(
  'a change of %s runs everything',
  (file) => {
    expect(chosenFor(file)).toEqual({ tests: null, scenarios: null })
  },
)

test.each([
  'e2e/support/account.ts',
  'e2e/pages/playwright.config.ts',
  'apps/console/src/ui/table/a.tsx',
  'apps/platform/src/core/a.ts',
])('a change of %s runs every scenario', (file) => {
  expect(chosenFor(file).scenarios).toBeNull()
})
