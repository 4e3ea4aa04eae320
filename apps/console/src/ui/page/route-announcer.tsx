import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { usePageTitle } from './page-title.ts'

export const mainId = 'main'

/** Names the new page to a screen reader and moves the focus to it; search changes are no new page. */
export function RouteAnnouncer() {
  const router = useRouter()
  const title = usePageTitle()
  const [visits, setVisits] = useState(0)

  useEffect(() => {
    document.title = title === 'Grove' ? title : `${title} · Grove`
  }, [title])

  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged) return
        setVisits((count) => count + 1)
        const main = document.getElementById(mainId)
        if (!main?.contains(document.activeElement)) main?.focus({ preventScroll: true })
      }),
    [router],
  )

  return (
    <div aria-live="polite" aria-atomic="true" className="visually-hidden">
      {visits > 0 && title}
    </div>
  )
}
