import { lingui } from '@lingui/vite-plugin'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { earlyScript } from './build/early-script.ts'
import { linguiMacro } from './build/lingui-macro.ts'
import { precompress } from './build/precompress.ts'
import { reactAria } from './build/react-aria.ts'

const server = 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    reactAria(),
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
              priority: 6,
            },
            { name: 'app', tags: ['$initial'], priority: 5 },
            // What the start page's catalogue uses of the dashboard, without its tables and shell.
            {
              name: 'pieces',
              test: /ui[\\/](i18n[\\/](format-)?bytes|text[\\/]empty-state|table[\\/]search-box|field[\\/]password-rules)\.|src[\\/]api[\\/]|session[\\/](api|image-address)\.|lucide-react[\\/].*[\\/](check|circle|search|search-x|x)\./,
              priority: 4,
            },
            // What the pages beside the login page share.
            { name: 'sign-in', test: /src[\\/]features[\\/]sign-in[\\/]/, priority: 1 },
            // The list of products, with what it shares with the pages of one.
            {
              name: 'products',
              test: /features[\\/]cedar[\\/](product[\\/](product\.(list|search)|create-product|product-columns|provider-select)|parts[\\/](check-draft|counted-field|field-labels|load\.|localised-title|product(-icon|\.api)|translation(s|-fields)|version-state))/,
              priority: 2,
            },
            // What nearly every page of the dashboard uses: one request instead of twenty. Not the
            // icons of the pages of visitors and of the account.
            {
              name: 'dashboard',
              test: /src[\\/](ui[\\/](?!kit)|shell)[\\/]|routes[\\/]_app[\\/]dashboard\.tsx\?|[\\/](react-table|table-core)[\\/]|lucide-react[\\/](?!.*[\\/](link-2|mail|mail-check|monitor|moon|refresh-cw|smartphone|sprout|sun|tablet|terminal|users)\.)/,
              priority: 3,
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
