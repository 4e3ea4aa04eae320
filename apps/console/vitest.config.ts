import babel from '@rolldown/plugin-babel'
import { defineProject } from 'vitest/config'

export default defineProject({
  plugins: [
    babel({ include: /\/src\/.*\.tsx?($|\?)/, plugins: ['@lingui/babel-plugin-lingui-macro'] }),
  ],
  resolve: { conditions: ['source', 'import', 'module', 'default'] },
  ssr: { resolve: { conditions: ['source', 'node', 'import', 'module', 'default'] } },
  test: { name: 'console', include: ['src/**/*.test.{ts,tsx}', 'build/**/*.test.ts'] },
})
