import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import { createRoot } from 'react-dom/client'
import { isUnreachable } from './api/problem.ts'
import { App } from './app/app.tsx'
import { auth } from './session/auth.ts'
import { startLocale } from './ui/i18n/locale.ts'
import { loadTooltips } from './ui/kit/tooltip.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

// The check of the access token needs keys from the service: asked for while the words come.
if (location.pathname.startsWith('/dashboard')) void auth.tokenDetails()

// What a page explains to its reader is no news for the browser's console.
const explained = new Set(['DashboardRefused', 'SessionUnverified', 'ApiProblem'])
const onCaughtError = (error: unknown) => {
  const isExplained = error instanceof Error && explained.has(error.name)
  if (!isExplained && !isUnreachable(error)) console.error(error)
}

// Not awaited: a chunk that imports this one would wait for it for ever.
void startLocale().then(() => createRoot(root, { onCaughtError }).render(<App />))

loadTooltips()
