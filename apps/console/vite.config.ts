import { lingui } from '@lingui/vite-plugin'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { earlyScript } from './build/early-script.ts'
import { linguiMacro } from './build/lingui-macro.ts'
import { precompress } from './build/precompress.ts'

const server = 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    tanstackRouter({
      target: 'react',
      routesDirectory: 'src/routes',
      generatedRouteTree: 'src/routeTree.gen.ts',
      quoteStyle: 'single',
      autoCodeSplitting: true,
      // One chunk a page: its skeleton and its error view are of no use without it.
      codeSplittingOptions: {
        defaultBehavior: [['component', 'pendingComponent', 'errorComponent', 'notFoundComponent']],
      },
    }),
    react(),
    linguiMacro(),
    lingui({ cwd: import.meta.dirname, failOnCompileError: true }),
    earlyScript(),
    precompress(),
  ],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    // light-dark(), popover and dialog are used as they are (see README).
    target: ['chrome123', 'edge123', 'firefox125', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Libraries change seldom: kept apart, they stay cached over releases.
            {
              name: 'vendor',
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](?!react-table|table-core)[^\\/]+|@lingui[\\/][^\\/]+)[\\/]/,
              priority: 3,
            },
            { name: 'app', tags: ['$initial'], priority: 2 },
            // What the start page's catalogue uses of it, without the tables and the shell.
            {
              name: 'pieces',
              test: /components[\\/](bytes|empty-state|format-bytes|search-box)\.|lucide-react[\\/].*[\\/](check|link-2|search|search-x|sprout|x)\./,
              priority: 1.5,
            },
            // What the pages beside the login page share.
            { name: 'sign-in', test: /src[\\/](features[\\/]sign-in|api)[\\/]/, priority: 1 },
            // What nearly every page of the dashboard uses: one request instead of twenty.
            {
              name: 'dashboard',
              test: /src[\\/](components|shell)[\\/]|routes[\\/]_app[\\/]dashboard\.tsx\?|[\\/](react-table|table-core|lucide-react)[\\/]/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': server, '/stage.json': server, '/.well-known': server },
  },
})
