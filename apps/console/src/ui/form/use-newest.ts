import { useState } from 'react'

interface FormOver<V> {
  isDirty: boolean
  rebase: (base: V, values: V) => void
}

/**
 * Shows what was saved, here or elsewhere, once nothing is typed. The form stays mounted, so it keeps
 * the focus, which recreating it for each revision would lose.
 */
export function useNewest<V>(form: FormOver<V>, revision: number, values: V): void {
  const [seen, setSeen] = useState(revision)
  if (revision === seen || form.isDirty) return
  setSeen(revision)
  form.rebase(values, values)
}
