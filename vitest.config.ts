import { defineConfig } from 'vitest/config'

// The custom condition reaches the source of our own packages, so tests need no build.
const resolve = { conditions: ['source', 'import', 'module', 'default'] }
const ssr = { resolve: { conditions: ['source', 'node'] } }

const project = (name: string, include: string[], extra: Record<string, unknown> = {}) => ({
  resolve,
  ssr,
  test: { name, include, environment: 'node', ...extra },
})

// Tests that touch no database, or only the embedded one, run once.
const notForPostgres = [
  'apps/platform/src/services/cedar/package/**',
  'apps/platform/src/services/cedar/link-id.test.ts',
  'apps/platform/src/services/auth/signing-key/key-periods.test.ts',
  'apps/platform/src/services/auth/throttle/network.test.ts',
  'apps/platform/src/fuzz.test.ts',
  'apps/platform/src/sample/samples.test.ts',
  'apps/platform/src/core/objects/**',
  'apps/platform/src/settings.test.ts',
  'apps/platform/src/core/secret.test.ts',
  'apps/platform/src/core/folder-lock.test.ts',
  'apps/platform/src/core/database/{embedded,frontend-messages,keyset,kill}.test.ts',
]

const platform = (engine: 'pglite' | 'postgres') =>
  project(`platform on ${engine}`, ['apps/platform/src/**/*.test.ts'], {
    env: { GROVE_TEST_ENGINE: engine },
    exclude: engine === 'pglite' ? [] : notForPostgres,
    globalSetup: ['apps/platform/src/core/testing/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  })

export default defineConfig({
  test: {
    // Much of it waits for databases and timers: one worker, the default on two cores, leaves one idle.
    maxWorkers: '100%',
    projects: [
      project('auth-client', ['packages/auth-client/{src,test}/**/*.test.{ts,tsx}']),
      project('contract', ['packages/contract/src/**/*.test.ts']),
      project('secure-element', ['packages/secure-element/src/**/*.test.ts']),
      platform('pglite'),
      platform('postgres'),
      'apps/console/vitest.config.ts',
      project('house', ['scripts/**/*.test.ts']),
    ],
  },
})
