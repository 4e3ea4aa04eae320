import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { consoleEntryWalls, consoleWalls } from './console-walls.ts'
import { broken, brokenBelow, edgesOf, type Walls } from './walls.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = 'apps/console/src'

test('every import of the console keeps the walls', () => {
  const folders = ['api', 'ui', 'session', 'shell', 'features'].map((name) => `${src}/${name}`)
  expect(brokenBelow(root, consoleWalls, folders)).toEqual([])
  expect(brokenBelow(root, consoleEntryWalls, [src])).toEqual([])
})

const check = (walls: Walls, file: string, source: string) =>
  edgesOf(root, `${src}/${file}`, source).flatMap((edge) => broken(walls, edge))

test.each([
  [
    'features/maple/fleet/device/a.ts',
    '../../../cedar/product/product.list.tsx',
    'A feature imports no',
  ],
  [
    'features/maple/fleet/device/a.ts',
    '../device-import/device-import.api.ts',
    'A feature imports no',
  ],
  [
    'features/maple/fleet/device/a.ts',
    '../../access/account/account.api.ts',
    'A feature imports no',
  ],
  ['features/maple/fleet/device/form/a.tsx', '../../../card/command/a.tsx', 'A feature imports no'],
  ['features/maple/card/command/a.tsx', '../session/session.api.ts', 'A feature imports no'],
  [
    'features/maple/connect/product/a.tsx',
    '../../program/script/script.api.ts',
    'A feature imports no',
  ],
  ['features/maple/base/choice.tsx', '../access/right.labels.ts', 'A feature imports no'],
  ['features/account/a.tsx', '../sign-in/login-page.tsx', 'A feature imports no'],
  ['features/maple/fleet/device/a.ts', '../../../../shell/navigation.ts', 'A feature imports no'],
  ['features/maple/fleet/device/a.ts', '../../../../app/router.ts', 'A feature imports no'],
  ['features/maple/fleet/device/a.ts', '../../../../routes/_app/index.tsx', 'A feature imports no'],
  ['features/maple/overview/a.tsx', '../fleet/device/device.api.ts', 'The overview imports'],
  ['ui/table/a.ts', '../../app/router.ts', 'ui knows neither'],
  ['features/cedar/parts/a.ts', '../product/product.list.tsx', 'Parts that the resources'],
  ['session/a.ts', '../features/account/account-page.tsx', 'The session stands below'],
  ['ui/form/a.tsx', '../../session/session.ts', 'ui knows neither'],
  ['api/a.ts', '../session/stage.ts', 'api is pure'],
  ['shell/a.tsx', '../features/account/account-page.tsx', 'The shell frames'],
  ['features/maple/fleet/device/a.ts', 'react-aria-components', 'React Aria is used through'],
  ['ui/table/a.ts', 'react-aria-components', 'React Aria is used through'],
])('%s may not import %s', (file, specifier, reason) => {
  for (const source of [
    `import { x } from '${specifier}'\n`,
    `import type { X } from '${specifier}'\n`,
    `import {\n  x,\n  y,\n} from '${specifier}'\n`,
    `export { x } from '${specifier}'\n`,
    `const x = lazy(() => import('${specifier}'))\n`,
  ])
    expect(check(consoleWalls, file, source).join()).toContain(reason)
})

test.each([
  ['routes/_app/a.tsx', `import { calls } from '@grove/contract/calls'`],
  ['app/a.ts', `import { calls } from '@grove/contract/calls'`],
  [
    'features/maple/fleet/device/a.ts',
    `import { deviceCalls } from '@grove/contract/maple/fleet/device'`,
  ],
  ['main.tsx', `import { buildApp } from '@grove/platform/core/http/app'`],
  ['session/a.ts', `import { x } from '../../../platform/src/core/config.ts'`],
])('%s may not load the server or a schema: %s', (file, source) => {
  expect(check(consoleEntryWalls, file, source).join()).toContain('The console imports no server')
})

test.each([
  ['features/maple/fleet/device/a.ts', `import type { Calls } from '@grove/contract/calls'`],
  [
    'features/maple/fleet/device/a.ts',
    `import { x } from '@grove/contract/maple/fleet/device.rules'`,
  ],
  ['features/maple/fleet/device/form/a.ts', `import { x } from '../device.search.ts'`],
  ['features/maple/fleet/device/a.ts', `import { x } from '../../base/choice.tsx'`],
  ['features/maple/rollout/a.ts', `import { x } from '../program/template-values/values-form.tsx'`],
  [
    'features/maple/connect/device-page/a.ts',
    `import { x } from '../../fleet/device/device.api.ts'`,
  ],
  ['features/cedar/product/a.ts', `import { DataTable } from '../../../ui/table/data-table.tsx'`],
  ['session/a.ts', `import { api } from '../api/create-api.ts'`],
  ['ui/kit/a.tsx', `import { Menu } from 'react-aria-components'`],
])('%s may import what it is built on: %s', (file, source) => {
  expect(check(consoleWalls, file, source)).toEqual([])
  expect(check(consoleEntryWalls, file, source)).toEqual([])
})
