import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { platformWalls } from './platform-walls.ts'
import { broken, brokenBelow, edgesOf, sourcesBelow } from './walls.ts'
import { readFileSync } from 'node:fs'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = 'apps/platform/src'

test('every import of the platform and the packages keeps the walls', () => {
  const packages = [
    'auth-client',
    'cli',
    'contract',
    'device-agent',
    'device-protocol',
    'reader',
    'secure-element',
  ].map((n) => `packages/${n}/src`)
  expect(brokenBelow(root, platformWalls, [src, ...packages])).toEqual([])
})

const check = (file: string, source: string) =>
  edgesOf(root, file, source).flatMap((edge) => broken(platformWalls, edge))

/** Each row is an import that someone could write, and the reason why it is refused. */
test.each([
  [
    `${src}/services/maple/fleet/device/a.ts`,
    '../../../cedar/context.ts',
    'The area fleet of Maple',
  ],
  [`${src}/services/maple/fleet/device/a.ts`, '../../card/context.ts', 'The area fleet of Maple'],
  [`${src}/services/maple/fleet/a.ts`, '../rollout/rollout.queries.ts', 'The area fleet of Maple'],
  [`${src}/services/maple/base/a.ts`, '../access/context.ts', 'The area base of Maple'],
  [`${src}/services/maple/connect/a.ts`, '../jobs.ts', 'The area connect of Maple'],
  [`${src}/services/maple/fleet/device/a.routes.ts`, './device.queries.ts', 'Routes import'],
  [`${src}/services/maple/fleet/device/a.routes.ts`, '../../card/context.ts', 'Routes import'],
  [`${src}/services/maple/a.ts`, '../cedar/product/product.service.ts', 'No service imports'],
  [`${src}/services/auth/a.ts`, '../maple/index.ts', 'No service imports another'],
  [`${src}/services/cedar/product/product.queries.ts`, '../../auth/tables.ts', 'No service'],
  [`${src}/services/console/a.ts`, '../maple/index.ts', 'No service imports another'],
  [`${src}/services/auth/email/a.ts`, '../../dev/context.ts', 'No service imports another'],
  [`${src}/services/dev/a.ts`, '../auth/context.ts', 'No service imports another'],
  [`${src}/services/cedar/a.ts`, '@grove/platform/services/maple/index', 'No service imports'],
  [`${src}/services/cedar/a.ts`, '../../sample/samples.ts', 'No service imports another'],
  [`${src}/services/cedar/a.ts`, '../../services.ts', 'No service imports another'],
  [`${src}/services/cedar/product/product.routes.ts`, './product.queries.ts', 'Routes import'],
  [`${src}/services/cedar/product/a.routes.ts`, '../provider/provider.queries.ts', 'Routes import'],
  [`${src}/services/cedar/product/product.routes.ts`, '../../auth/index.ts', 'Routes import'],
  [`${src}/core/a.ts`, '../services/auth/index.ts', 'core imports no service'],
  [`${src}/core/http/a.ts`, '../../services.ts', 'core imports no service'],
  [`${src}/core/http/a.ts`, '../../sample/samples.ts', 'core imports no service'],
  [`${src}/sample/a.ts`, '../services/dev/index.ts', 'The sample workspace'],
  [`${src}/sample/a.ts`, '../services/cedar/product/product.queries.ts', 'The sample workspace'],
  [`${src}/main.ts`, './services/auth/session/session.queries.ts', 'The start puts'],
  [`${src}/keys.ts`, './services/cedar/index.ts', 'A command of the operator'],
  ['packages/contract/src/a.ts', '@grove/platform/core/config', 'A package imports no app'],
  ['packages/contract/src/a.ts', '../../../apps/platform/src/core/config.ts', 'A package imports'],
  ['packages/auth-client/src/a.ts', '@grove/console/api/create-api', 'A package imports no app'],
])('%s may not import %s', (file, specifier, reason) => {
  for (const source of [
    `import { x } from '${specifier}'\n`,
    `import type { X } from '${specifier}'\n`,
    `import {\n  x,\n  y,\n} from '${specifier}'\n`,
    `export { x } from '${specifier}'\n`,
    `const x = await import('${specifier}')\n`,
  ])
    expect(check(file, source).join()).toContain(reason)
})

test.each([
  [`${src}/services/cedar/product/a.ts`, '../../../core/audit.ts'],
  [`${src}/services/cedar/product/product.service.ts`, '../provider/provider.queries.ts'],
  [`${src}/services/cedar/product/product.routes.ts`, './product.service.ts'],
  [`${src}/services/maple/index.ts`, './fleet/device/device.routes.ts'],
  [`${src}/services/maple/fleet/device/a.ts`, '@grove/contract/maple/fleet/device.rules'],
  [`${src}/main.ts`, './services/dev/index.ts'],
  [`${src}/sample/workspace.ts`, '../services/cedar/product/product.service.ts'],
])('%s may import %s', (file, specifier) => {
  expect(check(file, `import { x } from '${specifier}'\n`)).toEqual([])
})

test('core names no service', () => {
  const services = /['"`/](auth|cedar|maple|console|dev)['"`/]/
  const naming = sourcesBelow(root, `${src}/core`).filter((file) =>
    services.test(readFileSync(`${root}${file}`, 'utf8').replaceAll(/'@?[\w./-]*\.ts'/g, '')),
  )
  expect(naming).toEqual([])
})
