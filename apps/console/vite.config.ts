import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { scopedName } from './build/class-names.ts'
import { chunkOf, isLibrary, isNoCatalogue, startOf } from './build/chunks.ts'
import { compileAhead } from './build/compile-ahead.ts'
import { earlyScript } from './build/early-script.ts'
import { fewerFiles } from './build/fewer-files.ts'
import { guides } from './build/guides/guides.ts'
import { iconImports } from './build/icon-imports.ts'
import { linguiMacro } from './build/lingui-macro.ts'
import { pageTexts } from './build/page-texts.ts'
import { preloadHelper } from './build/preload-helper.ts'
import { precompress } from './build/precompress.ts'
import { programTarballs } from './build/program-tarballs.ts'
import { reactAria } from './build/react-aria.ts'
import { signInForm } from './build/sign-in-form/sign-in-form.ts'

const server = 'http://127.0.0.1:3000'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    iconImports(),
    reactAria(),
    tanstackRouter({
      target: 'react',
      routesDirectory: 'src/routes',
      generatedRouteTree: 'src/routeTree.gen.ts',
      quoteStyle: 'single',
      autoCodeSplitting: true,
      // One chunk per page, with its loader: that brings the API client, which the sign-in page must
      // not load.
      codeSplittingOptions: {
        defaultBehavior: [
          ['loader', 'component', 'pendingComponent', 'errorComponent', 'notFoundComponent'],
        ],
      },
    }),
    react(),
    linguiMacro(),
    guides(),
    pageTexts(),
    preloadHelper(),
    earlyScript(),
    // After the plugin that inspects how a chunk begins.
    fewerFiles(),
    compileAhead(),
    signInForm(),
    programTarballs(),
    precompress(),
  ],
  resolve: {
    // The shim is for React before 18.
    alias: [{ find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' }],
    conditions: ['source', 'module', 'browser', 'development|production'],
  },
  css: { modules: { generateScopedName: scopedName } },
  build: {
    // light-dark(), popover and dialog are used as they are (see README).
    target: ['chrome123', 'edge123', 'firefox125', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // early.js requests the scripts of the first page, and its link those of the next: a table of
      // imports would only make the entry larger.
      resolveDependencies: (_file, deps, { hostType }) =>
        hostType === 'js' ? deps.filter((name) => name.endsWith('.css')) : deps,
    },
    reportCompressedSize: false,
    rolldownOptions: {
      // `build/chunks.ts` assigns the chunks, and `fewerFiles` drops those left empty: if the bundler
      // merges chunks itself, the entry and its frameworks become one file.
      experimental: { chunkOptimization: false },
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: startOf, priority: 3 },
            // Libraries change rarely: kept apart, they stay cached across releases.
            { name: 'vendor', test: isLibrary, priority: 2 },
            { name: 'app', tags: ['$initial'], test: isNoCatalogue, priority: 1 },
            { name: chunkOf },
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
