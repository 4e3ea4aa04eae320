import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/test-order.ts'
import { isShort, tagOptions } from './scripts/test-tags.mjs'
import {
  embeddedAlone,
  onBothInShort,
  onlyInAll,
  patternOf,
  withoutDatabase,
} from './scripts/test-matrix.ts'

// The custom condition reaches the source of our own packages, so tests need no build.
const resolve = { conditions: ['source', 'import', 'module', 'default'] }
const ssr = { resolve: { conditions: ['source', 'node'] } }

// With the default's 16 MB for young objects a twentieth of the tests' time goes to collecting them.
const workerFlags = ['--max-semi-space-size=64']
// To optimise the embedded database's code takes longer than it saves in so short a life.
const pgliteFlags = [...workerFlags, '--liftoff-only']

// Test files of a worker share their modules: to import the platform takes longer than most of its
// tests. None of them leaves a fake clock or a replaced global behind.
const project = (name: string, include: string[], extra: Record<string, unknown> = {}) => ({
  resolve,
  ssr,
  test: {
    name,
    include,
    environment: 'node',
    isolate: false,
    execArgv: workerFlags,
    setupFiles: ['scripts/patient-waits.ts'],
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 15_000,
    ...tagOptions,
    ...extra,
  },
})

const platform = (
  name: string,
  engine: 'pglite' | 'postgres',
  include: string[],
  extra: Record<string, unknown>,
) =>
  project(name, include, {
    env: { GROVE_TEST_ENGINE: engine },
    ...(engine === 'pglite' && { execArgv: pgliteFlags }),
    globalSetup: ['apps/platform/src/core/testing/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    ...extra,
  })

const everyFile = ['apps/platform/src/**/*.test.ts']
const leftOut = isShort ? onlyInAll : []
const alone = [...embeddedAlone.map(patternOf), ...leftOut]

export default defineConfig({
  test: {
    // Much of it waits for databases, processes and timers: one worker more than cores keeps them busy.
    maxWorkers: availableParallelism() + 1,
    ...tagOptions,
    // Projects have most of their modules in common.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    projects: [
      project('auth-client', ['packages/auth-client/{src,test}/**/*.test.{ts,tsx}'], {
        exclude: leftOut,
        // They replace globals of the browser.
        isolate: true,
      }),
      project('packages', ['packages/*/src/**/*.test.ts'], {
        exclude: ['packages/auth-client/**', ...leftOut],
      }),
      // They measure memory, and end threads and processes.
      platform('embedded database', 'pglite', embeddedAlone.map(patternOf), {
        exclude: leftOut,
        isolate: true,
      }),
      platform('platform on pglite', 'pglite', isShort ? onBothInShort.map(patternOf) : everyFile, {
        exclude: [...withoutDatabase.map(patternOf), ...alone],
      }),
      platform('platform on postgres', 'postgres', everyFile, { exclude: alone }),
      'apps/console/vitest.config.ts',
      project('house', ['scripts/**/*.test.ts', 'deploy/**/*.test.ts'], {
        exclude: leftOut,
      }),
    ],
  },
})
