import {
  type KeyDiversification,
  diversifications,
  maxMasterNameLength,
} from '@grove/contract/maple/card/key.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { AreaField } from '../../../../../ui/field/area-field.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import type { FieldTexts } from '../../../../../ui/form/form-values.ts'
import { useForm, type Form } from '../../../../../ui/form/use-form.ts'
import { notify } from '../../../../../ui/toast/notify.ts'
import { hexVersion } from '../../hex-version.ts'
import { mastersQuery, refreshKeys } from './key.api.ts'
import { readKey } from './check-value.ts'
import {
  keyFieldOf,
  KeyFields,
  noKeys,
  sentKeys,
  useCheckValues,
  useKeyProblems,
  type KeyValues,
  type Made,
} from './key-fields.tsx'
import { readVersion } from './read-version.ts'
import { readWrapped } from './read-wrapped.ts'

interface ImportValues extends KeyValues {
  /** Empty for that of the issuer. */
  domain: string
  version: string
  protocol: 'SCP02' | 'SCP03'
  source: 'keys' | 'wrapped' | 'master'
  /** What another Grove exported, as JSON, and the key that opens it. */
  wrapped: string
  transportKey: string
  /** An id, or none for master keys that are typed here. */
  masterId: string
  masterName: string
  diversification: KeyDiversification
}

const algorithmOf = ({ protocol }: Pick<ImportValues, 'protocol'>) =>
  protocol === 'SCP03' ? 'AES' : 'DES'

/** Tells Grove the keys of a card: the three of its own, or how they are made from master keys. */
export function ImportKeys({
  cplc,
  domains,
  onClose,
}: {
  cplc: string
  /** The AIDs of its supplementary domains. */
  domains: readonly string[]
  onClose: () => void
}) {
  const { t } = useLingui()
  const problemsOf = useKeyProblems()
  const wrappedProblems = ({ wrapped, transportKey }: ImportValues): FieldTexts => {
    const read = readWrapped(wrapped)
    const other = read && read.cplc !== cplc ? icSerial(read.cplc) : undefined
    return {
      ...(!read && { wrapped: t`These are not wrapped keys. Paste the whole file.` }),
      ...(other !== undefined && { wrapped: t`These keys belong to another card, ${other}.` }),
      ...(readKey('AES', transportKey).kind !== 'key' && {
        transportKey: t`Enter 32, 48 or 64 hex digits.`,
      }),
    }
  }
  const [made, setMade] = useState<Made>({})
  const { data: masters } = useQuery(mastersQuery())
  const form = useForm<ImportValues>({
    values: {
      ...noKeys,
      domain: '',
      version: '30',
      protocol: 'SCP03',
      source: 'keys',
      wrapped: '',
      transportKey: '',
      masterId: '',
      masterName: '',
      diversification: 'KDF3',
    },
    check: (values) => ({
      version:
        readVersion(values.version) === undefined
          ? t`Enter a version from 01 to FF in hex.`
          : undefined,
      masterName:
        values.source === 'master' && values.masterId === '' && values.masterName.trim() === ''
          ? t`Enter a name.`
          : values.masterId === '' &&
              masters?.items.some(({ name }) => name === values.masterName.trim())
            ? t`Other master keys have this name.`
            : undefined,
      ...(values.source === 'wrapped' && wrappedProblems(values)),
      ...(needsKeys(values) && problemsOf(values, algorithmOf(values), made)),
    }),
    submit: (values) =>
      send(cplc, values, (masterId) => {
        // A second try must not add them again.
        form.set({ masterId })
        void refreshKeys()
      }),
    fieldOf: (path) =>
      path === 'wrapped.transportKey'
        ? 'transportKey'
        : keyFieldOf(path.replace(/^wrapped\..*/, 'wrapped')),
    fieldOfCode: { already_exists: 'version' },
    onSaved: () => {
      void refreshKeys()
      notify({ text: t`The keys are imported.` })
      onClose()
    },
    isOnce: true,
  })
  const { values } = form
  useCheckValues(values, algorithmOf(values), setMade)
  return (
    <FormDialog title={t`Import keys`} form={form} submitLabel={t`Import`} onClose={onClose}>
      <p className="muted">
        <Trans>
          Nothing is sent to the card. The keys are encrypted, and Grove never shows them.
        </Trans>
      </p>
      {domains.length > 0 && (
        <SelectField
          label={t`Security domain`}
          value={values.domain}
          words={{
            '': t`that of the issuer`,
            ...Object.fromEntries(domains.map((aid) => [aid, aid])),
          }}
          onChange={(domain) => form.set({ domain })}
        />
      )}
      <SelectField
        label={t`Secure channel`}
        value={values.protocol}
        words={{ SCP03: 'SCP03 (AES)', SCP02: 'SCP02 (3DES)' }}
        onChange={(protocol) =>
          form.set({
            protocol,
            masterId: '',
            diversification: protocol === 'SCP03' ? 'KDF3' : 'EMV',
          })
        }
      />
      <Field
        label={t`Key version`}
        hint={t`In hex, as the card reports it`}
        {...codeField}
        {...form.input('version')}
      />
      <SelectField
        label={t`The keys are`}
        value={values.source}
        words={{
          keys: t`those of this card`,
          wrapped: t`exported by another Grove`,
          master: t`derived from master keys`,
        }}
        onChange={(source) => form.set({ source })}
      />
      {values.source === 'wrapped' && <WrappedFields form={form} />}
      {values.source === 'master' && <MasterFields form={form} />}
      {needsKeys(values) && <KeyFields form={form} algorithm={algorithmOf(values)} made={made} />}
    </FormDialog>
  )
}

const needsKeys = ({ source, masterId }: ImportValues) =>
  source === 'keys' || (source === 'master' && masterId === '')

function WrappedFields({ form }: { form: Form<ImportValues> }) {
  const { t } = useLingui()
  return (
    <>
      <AreaField
        label={t`Wrapped keys`}
        hint={t`The contents of the file that was saved there`}
        rows={5}
        className="mono"
        name="wrapped"
        value={form.values.wrapped}
        error={form.errors.wrapped}
        onChange={({ target }) => {
          const read = readWrapped(target.value)
          form.set({
            wrapped: target.value,
            // The file says what they are.
            ...(read && {
              protocol: read.protocol,
              version: hexVersion(read.version),
              domain: read.domain ?? '',
            }),
          })
        }}
      />
      <Field
        label={t`Transport key`}
        hint={t`An AES key in hex`}
        {...codeField}
        {...form.input('transportKey')}
      />
    </>
  )
}

function MasterFields({ form }: { form: Form<ImportValues> }) {
  const { t } = useLingui()
  const { data } = useQuery(mastersQuery())
  const { values } = form
  const algorithm = algorithmOf(values)
  const masters = data?.items.filter((master) => master.algorithm === algorithm) ?? []
  const methods = diversifications.filter((method) => algorithm === 'DES' || method === 'KDF3')
  return (
    <>
      <SelectField
        label={t`Diversification`}
        value={values.diversification}
        words={Object.fromEntries(methods.map((method) => [method, method]))}
        onChange={(diversification) => form.set({ diversification })}
      />
      <SelectField
        label={t`Master keys`}
        value={values.masterId}
        words={{
          ...Object.fromEntries(masters.map(({ id, name }) => [id, name])),
          '': t`New master keys`,
        }}
        onChange={(masterId) => form.set({ masterId })}
      />
      {values.masterId === '' && (
        <Field
          label={t`Name of the master keys`}
          maxLength={maxMasterNameLength}
          autoComplete="off"
          {...form.input('masterName')}
        />
      )}
    </>
  )
}

async function send(
  cplc: string,
  values: ImportValues,
  onMaster: (id: string) => void,
): Promise<unknown> {
  const { protocol, diversification, source, domain } = values
  const algorithm = algorithmOf(values)
  const set = {
    cplc,
    ...(domain && { domain }),
    protocol,
    version: readVersion(values.version) ?? 0,
  }
  if (source === 'keys')
    return api.maple.post('/api/maple/se/keys', {
      body: { ...set, ...sentKeys(values, algorithm) },
    })
  const wrapped = readWrapped(values.wrapped)
  if (source === 'wrapped' && wrapped)
    return api.maple.post('/api/maple/se/keys', {
      body: {
        ...set,
        wrapped: { ...wrapped.keys, transportKey: values.transportKey.replaceAll(/\s/g, '') },
      },
    })
  const masterId = values.masterId || (await addMaster(values))
  if (masterId !== values.masterId) onMaster(masterId)
  return api.maple.post('/api/maple/se/keys', { body: { ...set, masterId, diversification } })
}

async function addMaster(values: ImportValues): Promise<string> {
  const algorithm = algorithmOf(values)
  const { id } = await api.maple.post('/api/maple/se/masters', {
    body: { name: values.masterName, algorithm, ...sentKeys(values, algorithm) },
  })
  return id
}
