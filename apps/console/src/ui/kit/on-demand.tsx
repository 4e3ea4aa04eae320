import { useLingui } from '@lingui/react/macro'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, type ComponentType } from 'react'
import { withTexts } from '../i18n/locale.ts'
import { savesData } from '../link/saves-data.ts'
import { notify } from '../toast/notify.ts'
import { loadable, useLoadable } from './loadable.ts'

/**
 * A part of a page that opens later, such as a panel or a dialog. Its code loads when the page calls
 * `usePrefetch`, at the latest when it is shown.
 */
export function onDemand<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const part = loadable(withTexts(load))
  function OnDemand(props: Props) {
    const { t } = useLingui()
    const state = useLoadable(part)
    useEffect(() => part.prefetch(), [])
    const isFailed = state.status === 'failed'
    useEffect(() => {
      if (!isFailed) return
      notify({
        kind: 'failure',
        text: t`This part of the page did not load. Check your connection and try again.`,
        action: { label: t`Try again`, run: part.prefetch },
      })
    }, [isFailed, t])
    return state.status === 'ready' ? <state.Component {...props} /> : null
  }
  return Object.assign(OnDemand, { prefetch: part.prefetch })
}

/** Loads the code of parts that may open next, once the page has what it asked for. */
export function usePrefetch(...parts: readonly ({ prefetch: () => void } | undefined)[]) {
  const client = useQueryClient()
  useEffect(() => {
    if (savesData()) return
    // Three looks in a row: the rows of the last answer are drawn first.
    let quiet = 0
    const timer = setInterval(() => {
      const isQuiet = document.readyState === 'complete' && client.isFetching() === 0
      quiet = isQuiet && document.querySelector('[aria-busy=true]') === null ? quiet + 1 : 0
      if (quiet < 3) return
      clearInterval(timer)
      for (const part of parts) part?.prefetch()
    }, 100)
    return () => clearInterval(timer)
    // oxlint-disable-next-line react/exhaustive-deps -- the parts of a page never change
  }, [client])
}
