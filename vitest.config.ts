import { defineConfig } from 'vitest/config'

// The custom condition reaches the source of our own packages, so tests need no build.
const resolve = { conditions: ['source', 'import', 'module', 'default'] }
const ssr = { resolve: { conditions: ['source', 'node'] } }

const project = (name: string, include: string[], extra: Record<string, unknown> = {}) => ({
  resolve,
  ssr,
  test: { name, include, environment: 'node', ...extra },
})

// Tests that touch no database run once.
const withoutDatabase = [
  'apps/platform/src/services/cedar/package/**',
  'apps/platform/src/sample/samples.test.ts',
  'apps/platform/src/core/objects/**',
  'apps/platform/src/core/config.test.ts',
]

const platform = (engine: 'pglite' | 'postgres') =>
  project(`platform on ${engine}`, ['apps/platform/src/**/*.test.ts'], {
    env: { GROVE_TEST_ENGINE: engine },
    exclude: engine === 'pglite' ? [] : withoutDatabase,
    globalSetup: ['apps/platform/src/core/testing/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  })

export default defineConfig({
  test: {
    projects: [
      project('auth-client', ['packages/auth-client/{src,test}/**/*.test.{ts,tsx}']),
      project('contract', ['packages/contract/src/**/*.test.ts']),
      platform('pglite'),
      platform('postgres'),
      'apps/console/vitest.config.ts',
      project('house', ['scripts/**/*.test.ts']),
    ],
  },
})
