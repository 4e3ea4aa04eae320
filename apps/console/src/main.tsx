import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { activateLocale, initialLocale } from './app/locale.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')

// Not awaited: a chunk that imports this one would wait for it for ever.
void activateLocale(initialLocale()).then(() => createRoot(root).render(<App />))
