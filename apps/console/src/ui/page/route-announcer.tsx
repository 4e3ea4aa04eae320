import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePageTitle, usePartTitle } from './page-title.ts'

export const mainId = 'main'

/**
 * Announces the new page to screen readers and moves the focus to it; a search change is not a new
 * page.
 */
export function RouteAnnouncer() {
  const router = useRouter()
  const title = usePageTitle()
  const part = usePartTitle()
  const [visits, setVisits] = useState(0)

  useEffect(() => {
    const named = title === 'Grove' ? title : `${title} · Grove`
    document.title = part === undefined ? named : `${part} · ${named}`
  }, [title, part])

  useEffect(() => {
    let lastKey = ''
    const onKeyDown = ({ key }: KeyboardEvent) => {
      lastKey = key
    }
    addEventListener('keydown', onKeyDown)
    const stop = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      // If another page replaced the sign-in (build/sign-in-form/).
      document.getElementById('early-form')?.remove()
      if (!fromLocation || !pathChanged) return
      setVisits((count) => count + 1)
      const main = document.getElementById(mainId)
      const { activeElement } = document
      // The reader has tabbed on while a slow page was loading.
      if (lastKey === 'Tab' && activeElement?.matches(':focus-visible')) return
      if (!main?.contains(activeElement)) main?.focus({ preventScroll: true })
    })
    return () => {
      removeEventListener('keydown', onKeyDown)
      stop()
    }
  }, [router])

  return (
    <div aria-live="polite" aria-atomic="true" className="visually-hidden">
      {visits > 0 && title}
    </div>
  )
}
