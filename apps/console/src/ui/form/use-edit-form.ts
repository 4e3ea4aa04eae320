import { useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { isSameValue } from './form-values.ts'
import { merge, withValueOf } from './merge.ts'
import { useForm, type FormOptions } from './use-form.ts'

/** The saved item. `revision` is sent with a save, which is refused unless it is the newest. */
export interface Saved<V> {
  values: V
  revision?: number
}

export interface EditOptions<V extends object> extends Omit<
  FormOptions<V, Saved<V>>,
  'values' | 'submit' | 'savedValues' | 'needsChange'
> {
  saved: Saved<V>
  /** Saves over `from`, which the changes started from, and returns the saved item. */
  submit: (values: V, from: Saved<V>) => Promise<Saved<V>>
  /** Fetches the current item after a save was refused as out of date. */
  load?: () => Promise<Saved<V>>
}

interface Conflict<V> {
  theirs: Saved<V>
  mine: V
  /** The fields that both sides changed. */
  paths: readonly string[]
  chosen: Readonly<Record<string, 'mine' | 'theirs'>>
}

// Only a script saves more often than this during one save.
const maxMerges = 3

const isConflict = (error: unknown) => error instanceof ApiProblem && error.code === 'edit_conflict'

/**
 * A form that edits a saved item. Fields that only one side changed are merged automatically; for the
 * others the reader chooses (`ConflictNotice`).
 */
export function useEditForm<V extends object>(options: EditOptions<V>) {
  const { saved, submit, load, check, onSaved } = options
  const [from, setFrom] = useState(saved)
  const [seen, setSeen] = useState(saved)
  const [conflict, setConflict] = useState<Conflict<V>>()

  const save = async (sent: V): Promise<Saved<V>> => {
    let base = conflict?.theirs ?? from
    let values = sent
    for (let merges = 0; ; merges += 1) {
      try {
        return await submit(values, base)
      } catch (error) {
        if (!isConflict(error) || !load || merges === maxMerges) throw error
        const theirs = await load()
        const merged = merge(base.values, theirs.values, values)
        if (merged.conflicts.length > 0) {
          setConflict({ theirs, mine: values, paths: merged.conflicts, chosen: {} })
          form.set(merged.values)
          throw error
        }
        base = theirs
        values = merged.values
      }
    }
  }

  const form = useForm<V, Saved<V>>({
    ...options,
    values: saved.values,
    needsChange: true,
    check: (values) => ({
      ...check?.(values),
      ...Object.fromEntries(
        conflict?.paths
          .filter((path) => !(path in conflict.chosen))
          .map((path) => [`conflict.${path}`, path]) ?? [],
      ),
    }),
    submit: save,
    savedValues: ({ values }) => values,
    onSaved: (result, sent) => {
      setFrom(result)
      setConflict(undefined)
      onSaved?.(result, sent)
    },
  })

  // A newer answer contains someone else's change, or one from another part of the page.
  const isNewer =
    saved.revision === undefined
      ? !isSameValue(saved.values, seen.values)
      : saved.revision !== seen.revision
  if (isNewer) {
    setSeen(saved)
    const merged = merge(from.values, saved.values, form.values)
    // The conflict remains: the save is then refused, and the reader asked.
    if (merged.conflicts.length === 0 || saved.revision === undefined) {
      setFrom(saved)
      form.rebase(saved.values, merged.values)
    }
  }

  return {
    ...form,
    problem: conflict ? undefined : form.problem,
    conflict,
    choose: (path: string, side: 'mine' | 'theirs') => {
      if (!conflict) return
      setConflict({ ...conflict, chosen: { ...conflict.chosen, [path]: side } })
      const source = side === 'mine' ? conflict.mine : conflict.theirs.values
      form.set((now) => withValueOf(now, path, source))
    },
    reset: () => {
      const latest = conflict?.theirs ?? saved
      setFrom(latest)
      setConflict(undefined)
      form.reset(latest.values)
    },
    snapshot: { ...form.snapshot, revision: from.revision } as object,
    restore: (draft: object) => {
      if (!form.restore(draft)) return false
      const { base, revision } = draft as { base: V; revision?: number }
      const kept = revision === undefined ? { values: base } : { values: base, revision }
      setFrom(kept)
      // The next render merges what has been saved since.
      setSeen(kept)
      return true
    },
  }
}

export type EditForm<V extends object> = ReturnType<typeof useEditForm<V>>
