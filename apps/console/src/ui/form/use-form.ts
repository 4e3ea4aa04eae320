import { useLingui } from '@lingui/react'
import {
  useEffect,
  useRef,
  useState,
  type ChangeEvent,
  type KeyboardEvent,
  type SyntheticEvent,
} from 'react'
import { fieldErrors } from '../../api/field-errors.ts'
import { fieldIn, isSameValue, valueAt, type FieldTexts } from './form-values.ts'

export interface FormOptions<V, R = unknown> {
  /** The initial values; `rebase` takes later ones. */
  values: V
  check?: (values: V) => FieldTexts
  /** Rejects with the problem. */
  submit: (values: V) => Promise<R>
  /** The form's values after a success; by default those that were sent. */
  savedValues?: (result: R, sent: V) => V
  /** Called after a success, when the form counts as unchanged: the place to close it or to navigate. */
  onSaved?: (result: R, sent: V) => void
  /** Maps a path of the request to a field of the form; by default the field of the same name. */
  fieldOf?: (path: string, sent: V) => string
  /** Fields for problems that name none, by code. */
  fieldOfCode?: Record<string, string>
  isSame?: (one: V, other: V) => boolean
  /** Prevents submitting, such as while the browser is offline. */
  isBlocked?: boolean
  /** Prevents submitting an unchanged form. */
  needsChange?: boolean
  /** The form closes after a success and is never submitted again: two clicks create one item. */
  isOnce?: boolean
}

export type TextName<V> = { [K in keyof V]: V[K] extends string ? K : never }[keyof V] & string

interface Refusal<V> {
  error: unknown
  sent: V
}

/**
 * The state of one form: values, the error of each field, and one submission at a time. A server's
 * refusal concerns what was sent, so it disappears with the next change of the field.
 */
export function useForm<V extends object, R = unknown>(options: FormOptions<V, R>) {
  const { check, fieldOf, isSame = isSameValue } = options
  const { i18n } = useLingui()
  const ref = useRef<HTMLFormElement>(null)
  // A ref, since two clicks in one frame both see the state of the previous frame.
  const isLocked = useRef(false)
  const settled = useRef(new Set<() => void>())
  const [base, setBase] = useState(options.values)
  const [values, setValues] = useState(options.values)
  const [status, setStatus] = useState<'idle' | 'saving' | 'saved'>('idle')
  const [isChecked, setChecked] = useState(false)
  const [refusal, setRefusal] = useState<Refusal<V>>()
  const [refusals, setRefusals] = useState(0)

  const refused: FieldTexts = refusal
    ? fieldErrors(refusal.error, i18n, {
        fieldOf: (path) => fieldOf?.(path, refusal.sent) ?? fieldIn(refusal.sent, path),
        fieldOfCode: options.fieldOfCode,
      })
    : {}
  const errors: FieldTexts = isChecked ? { ...check?.(values) } : {}
  for (const [path, text] of Object.entries(refused)) {
    const isAsSent = isSameValue(valueAt(values, path), valueAt(refusal?.sent, path))
    if (isAsSent) errors[path] ??= text
  }
  const paths = Object.keys(refused)
  const isSaidByField =
    paths.length > 0 && paths.every((path) => valueAt(refusal?.sent, path) !== undefined)

  useEffect(() => {
    if (refusals === 0) return
    const wrong =
      ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
      ref.current?.querySelector<HTMLElement>('[data-problem]')
    wrong?.focus()
  }, [refusals])

  const settle = () => {
    for (const listener of settled.current) listener()
  }
  const set = (change: Partial<V> | ((now: V) => Partial<V>)) => {
    setStatus((now) => (now === 'saved' ? 'idle' : now))
    setValues((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change) }))
  }
  const rebase = (nextBase: V, nextValues: V) => {
    setBase(nextBase)
    setValues(nextValues)
  }
  const refuse = (problem: Refusal<V> | undefined) => {
    setRefusal(problem)
    setRefusals((count) => count + 1)
  }

  const send = async (sent: V) => {
    if (isLocked.current || options.isBlocked) return
    if (options.needsChange && isSame(sent, base)) return
    setChecked(true)
    if (Object.values(check?.(sent) ?? {}).some(Boolean)) return refuse(undefined)
    isLocked.current = true
    setStatus('saving')
    setRefusal(undefined)
    let result: R
    try {
      result = await options.submit(sent)
    } catch (error) {
      isLocked.current = false
      setStatus('idle')
      return refuse({ error, sent })
    }
    isLocked.current = options.isOnce ?? false
    setStatus('saved')
    setChecked(false)
    const saved = options.savedValues?.(result, sent) ?? sent
    setBase(saved)
    // What was typed during the save stays.
    setValues((now) => (now === sent ? saved : now))
    settle()
    options.onSaved?.(result, sent)
  }

  return {
    values,
    base,
    set,
    rebase,
    /** Discards what was typed. */
    reset: (to = base) => {
      rebase(to, to)
      setStatus('idle')
      setChecked(false)
      setRefusal(undefined)
      settle()
    },
    errors,
    error: refusal?.error,
    /** Errors that belong to no field of the form. */
    problem: isSaidByField ? undefined : refusal?.error,
    status,
    isDirty: !isSame(values, base),
    needsChange: options.needsChange ?? false,
    /** Everything that a draft keeps of the form. */
    snapshot: { values, base } as object,
    /** Returns false if the draft does not fit the form. */
    restore: (draft: object) => {
      const kept = draft as { values: V; base: V }
      const fits = isSameValue(namesOf(kept.values), namesOf(values))
      if (fits) rebase(kept.base, kept.values)
      return fits
    },
    /** Called when the input is saved or discarded. */
    onSettled: (listener: () => void) => {
      const { current } = settled
      current.add(listener)
      return () => void current.delete(listener)
    },
    /** Props for a text field. */
    input: (name: TextName<V>) => ({
      name,
      value: values[name] as string,
      error: errors[name],
      onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
        set({ [name]: target.value } as Partial<V>),
    }),
    /** Props for the `form` element. */
    props: {
      ref,
      noValidate: true,
      onSubmit: (event: SyntheticEvent) => {
        event.preventDefault()
        void send(values)
      },
      onKeyDown: (event: KeyboardEvent) => {
        // By key position: on a Russian keyboard it types another letter.
        const isSaveKey = event.key === 'Enter' || event.code === 'KeyS'
        if (!isSaveKey || event.altKey || event.shiftKey || !(event.ctrlKey || event.metaKey))
          return
        event.preventDefault()
        if (!event.repeat) ref.current?.requestSubmit()
      },
    },
  }
}

// A draft may come from an earlier release, whose form had other fields.
const namesOf = (values: object) => Object.keys(Object(values))

export type Form<V extends object> = ReturnType<typeof useForm<V, unknown>>
