import { defineProject } from 'vitest/config'
import { tagOptions } from '../../scripts/test-tags.mjs'
import { linguiMacro } from './build/lingui-macro.ts'

export default defineProject({
  plugins: [linguiMacro()],
  resolve: { conditions: ['source', 'import', 'module', 'default'] },
  ssr: { resolve: { conditions: ['source', 'node', 'import', 'module', 'default'] } },
  // Files share their modules, as in the other projects.
  test: { name: 'console', include: ['src/**/*.test.{ts,tsx}'], isolate: false, ...tagOptions },
})
