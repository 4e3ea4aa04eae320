import { commandNamePattern } from '@grove/contract/maple/base/command-name.rules'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { ApiProblem } from '../../../../api/problem.ts'
import { problemText } from '../../../../api/problem-text.ts'
import { Field } from '../../../../ui/field/field.tsx'
import { SelectField } from '../../../../ui/field/select-field.tsx'
import styles from './device-work.module.css'
import { refreshCommands, sendCommand, twinOf } from './device-work.api.ts'
import { readJson } from '../../base/json-text.ts'
import { useChangeRefusal } from './use-change-refusal.ts'

/** The commands of the reference device. */
const suggestions = ['ping', 'echo', 'report']
const isName = (text: string) => new RegExp(commandNamePattern).test(text)

/** Sends a device a command. */
export function CommandForm({ deviceId }: { deviceId: string }) {
  const { t, i18n } = useLingui()
  const id = useId()
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [hours, setHours] = useState<'1' | '24' | '168'>('24')
  const [isChecked, setChecked] = useState(false)
  const { send, isSending, error } = useSending()
  const { data: twin } = useQuery(twinOf(deviceId))
  const refusal = useChangeRefusal(twin)
  const data = text.trim() === '' ? { value: null } : readJson(text)
  const nameError =
    isChecked && !isName(name)
      ? t`A name of letters, digits, “.”, “_” and “-”, such as ping`
      : undefined
  const dataError = isChecked && !data ? t`This is not JSON.` : undefined

  const submit = async () => {
    setChecked(true)
    if (refusal !== undefined || !isName(name) || !data) return
    const body = { deviceId, name, data: data.value, hours: Number(hours) }
    if (!(await send(body))) return
    setText('')
    setChecked(false)
    await refreshCommands()
  }
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Field
        label={t`Command`}
        list={`${id}-names`}
        value={name}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={nameError}
        onChange={({ target }) => setName(target.value)}
      />
      <datalist id={`${id}-names`}>
        {suggestions.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </datalist>
      <div className="field">
        <label htmlFor={id}>{t`Data as JSON`}</label>
        <textarea
          id={id}
          className="input mono"
          rows={2}
          value={text}
          placeholder={'{"led": true}'}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={dataError ? true : undefined}
          aria-describedby={dataError ? `${id}-error` : undefined}
          onChange={({ target }) => setText(target.value)}
        />
        {dataError && (
          <div id={`${id}-error`} className="field-error">
            {dataError}
          </div>
        )}
      </div>
      <SelectField
        label={t`Wait for the device`}
        value={hours}
        words={{ '1': t`for an hour`, '24': t`for a day`, '168': t`for a week` }}
        onChange={setHours}
      />
      {error !== undefined && (
        <p role="alert" className={styles.error}>
          {problemText(error, i18n)}
        </p>
      )}
      <button
        type="submit"
        className="button primary"
        aria-disabled={refusal !== undefined || isSending}
      >
        <Send size={16} aria-hidden />
        {isSending ? t`Sending…` : t`Send`}
      </button>
      {refusal !== undefined && <p className="field-hint">{refusal}</p>}
    </form>
  )
}

type Sent = Omit<Parameters<typeof sendCommand>[0], 'id'>

/** Its ID ensures that repeating a request after a lost answer does not send the command twice. */
function useSending() {
  const isLocked = useRef(false)
  const pending = useRef<{ id: string; key: string }>(undefined)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<unknown>()

  const send = async (body: Sent): Promise<boolean> => {
    if (isLocked.current) return false
    isLocked.current = true
    setSending(true)
    setError(undefined)
    const key = JSON.stringify(body)
    if (pending.current?.key !== key) pending.current = { id: crypto.randomUUID(), key }
    try {
      await sendCommand({ id: pending.current.id, ...body })
      pending.current = undefined
      return true
    } catch (problem) {
      if (problem instanceof ApiProblem && problem.status < 500) pending.current = undefined
      setError(problem)
      return false
    } finally {
      isLocked.current = false
      setSending(false)
    }
  }
  return { send, isSending, error }
}
