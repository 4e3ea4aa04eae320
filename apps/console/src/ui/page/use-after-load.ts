import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** True once the page has its data: anything that can wait starts then. */
export function useAfterLoad(): boolean {
  const client = useQueryClient()
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    if (isQuiet) return
    const timer = setInterval(() => {
      if (document.readyState === 'complete' && client.isFetching() === 0) setQuiet(true)
    }, 250)
    return () => clearInterval(timer)
  }, [client, isQuiet])
  return isQuiet
}
