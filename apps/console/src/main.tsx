import './app/start.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import { createRoot } from 'react-dom/client'
// Shared by the start page and the lists: in the entry, so that neither needs another file.
import './session/api.ts'
import './session/image-address.ts'
import './ui/table/search-box.tsx'
import './ui/text/empty-state.tsx'
import { isUnreachable } from './api/problem.ts'
import { queryClient } from './api/query-client.ts'
import { App } from './app/app.tsx'
import { loadRoutes } from './app/route-tree.tsx'
import { router } from './app/router.ts'
import { signOut } from './session/session.ts'
import { addMessages, startLocale } from './ui/i18n/locale.ts'
import { loadTooltips } from './ui/kit/tooltip.ts'
import { savesData } from './ui/link/saves-data.ts'
import { whenIdle } from './ui/page/when-idle.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

// Errors that a page explains to its reader need not appear in the browser's console.
const explained = new Set(['DashboardRefused', 'SessionUnverified', 'ApiProblem'])
const onCaughtError = (error: unknown) => {
  const isExplained = error instanceof Error && explained.has(error.name)
  if (!isExplained && !isUnreachable(error)) console.error(error)
}

// Not awaited: a chunk that imports this one would wait forever.
void Promise.all([startLocale(), loadRoutes(location.pathname)]).then(
  () => createRoot(root, { onCaughtError }).render(<App />),
  // Without texts or routes, `early.js` reports the problem.
  () => dispatchEvent(new Event('grove.incomplete')),
)

// Until they arrive, a problem shows the service's own English sentence.
const loadLater = async () => {
  await addMessages('problems')
  const { startLater } = await import('./shell/later.ts')
  startLater(() => signOut(router, queryClient))
}

whenIdle(loadTooltips)
whenIdle(() => void loadLater().catch(() => {}))
// Prefetches the page after the sign-in.
if (!savesData()) whenIdle(() => void loadRoutes('/dashboard/cedar').catch(() => {}))
