import type { KeySet } from '@grove/contract/maple/card/key'
import { keyLengths, type KeyTargetKind } from '@grove/contract/maple/card/key.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../../../../session/api.ts'
import { FormDialog } from '../../../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { codeField } from '../../../../../ui/form/fields.tsx'
import { useForm } from '../../../../../ui/form/use-form.ts'
import { notify } from '../../../../../ui/toast/notify.ts'
import { hexVersion } from '../../hex-version.ts'
import { mastersQuery, refreshKeys } from './key.api.ts'
import {
  keyFieldOf,
  KeyFields,
  noKeys,
  sentKeys,
  useCheckValues,
  useKeyProblems,
  type Made,
} from './key-fields.tsx'
import {
  MasterFields,
  masterOf,
  noMaster,
  useMasterProblems,
  type MasterValues,
} from './master-fields.tsx'
import { OfDomain } from './of-domain.tsx'
import styles from './key.module.css'
import { readVersion } from './read-version.ts'

interface ChangeKeysProps {
  cplc: string
  /** Those in use; at least one. */
  sets: readonly KeySet[]
  /** The AIDs of the domains known to have no keys of their own. */
  bareDomains: readonly string[]
  /** Starts with the initial keys of a domain. */
  isFirst: boolean
  onClose: () => void
}

interface Place {
  /** Used if there is a choice of locations. */
  id: string
  domain: string | null
  /** The keys to replace; undefined for the initial keys of a domain. */
  set: KeySet | undefined
  protocol: KeySet['protocol']
}

interface ChangeValues extends MasterValues {
  place: string
  newVersion: string
  kind: KeyTargetKind
  keyLength: string
}

/** New versions end at 7F: a version above that has another meaning in PUT KEY. */
const maxNewVersion = 0x7f

const algorithmOf = (place: Place | undefined) => (place?.protocol === 'SCP02' ? 'DES' : 'AES')

/**
 * Explains what giving a domain of a card new keys means, and what a power cut would do, and starts
 * it.
 */
export function ChangeKeys({ cplc, sets, bareDomains, isFirst, onClose }: ChangeKeysProps) {
  const { t } = useLingui()
  const problemsOf = useKeyProblems()
  const placeText = usePlaceText()
  const [made, setMade] = useState<Made>({})
  const masterProblems = useMasterProblems()
  const { data: masters } = useQuery(mastersQuery())
  const places = placesOf(sets, bareDomains, isFirst)
  const [first] = places
  const placeOf = (id: string) => places.find((each) => each.id === id) ?? first
  const form = useForm<ChangeValues>({
    values: {
      ...noKeys,
      place: first?.id ?? '',
      newVersion: newVersionOf(first),
      kind: 'random',
      keyLength: keyLengthOf(first),
      ...noMaster(algorithmOf(first)),
    },
    check: (values) => ({
      newVersion:
        readVersion(values.newVersion, maxNewVersion) === undefined
          ? t`Enter a version from 01 to 7F in hex.`
          : undefined,
      ...(values.kind === 'derived' && masterProblems(values)),
      ...(needsKeys(values) && problemsOf(values, algorithmOf(placeOf(values.place)), made)),
    }),
    submit: (values) =>
      // A retry must not add the master keys again.
      send(cplc, placeOf(values.place), values, (masterId) => form.set({ masterId })),
    fieldOf: (path) => keyFieldOf(path.replace(/^target\./, '')),
    fieldOfCode: { already_exists: 'newVersion' },
    onSaved: () => {
      void refreshKeys()
      notify({ text: isFirst ? t`The keys are on their way.` : t`The rotation has started.` })
      onClose()
    },
    isOnce: true,
  })
  const { values } = form
  const place = placeOf(values.place)
  const domain = place?.domain
  const algorithm = algorithmOf(place)
  useCheckValues(values, algorithm, setMade)
  const isInHsm = place?.set?.custody === 'hsm'
  return (
    <FormDialog
      title={isFirst ? t`Give a domain its first keys?` : t`Rotate the keys?`}
      form={form}
      submitLabel={isFirst ? t`Send the keys` : t`Rotate the keys`}
      onClose={onClose}
    >
      <Explained isFirst={isFirst} kind={values.kind} />
      {places.length > 1 && (
        <SelectField
          label={isFirst ? t`Security domain` : t`Keys to replace`}
          value={values.place}
          words={Object.fromEntries(places.map((each) => [each.id, placeText(each)]))}
          onChange={(id) =>
            form.set({
              place: id,
              newVersion: newVersionOf(placeOf(id)),
              keyLength: keyLengthOf(placeOf(id)),
              kind: 'random',
              ...noMaster(algorithmOf(placeOf(id))),
            })
          }
        />
      )}
      {places.length === 1 && <OfDomain domain={domain} />}
      {isInHsm ? (
        <p className="muted">
          <Trans>These keys are in the HSM, where only random ones can be made.</Trans>
        </p>
      ) : (
        <SelectField
          label={t`The new keys are`}
          value={values.kind}
          words={{
            random: t`random`,
            derived: t`derived from master keys`,
            imported: t`entered here`,
          }}
          onChange={(kind) =>
            form.set({
              kind,
              masterId: masters?.items.find((each) => each.algorithm === algorithm)?.id ?? '',
            })
          }
        />
      )}
      {values.kind === 'random' && algorithm === 'AES' && (
        <SelectField
          label={t`Key length`}
          value={values.keyLength}
          words={Object.fromEntries(
            keyLengths.AES.map((bytes) => [String(bytes), `AES-${bytes * 8}`]),
          )}
          onChange={(keyLength) => form.set({ keyLength })}
        />
      )}
      {values.kind === 'derived' && <MasterFields form={form} algorithm={algorithm} />}
      {needsKeys(values) && <KeyFields form={form} algorithm={algorithm} made={made} />}
      <Field
        label={t`Version of the new keys`}
        hint={
          place?.set
            ? t`In hex. The same version replaces the keys in place.`
            : t`In hex. Hosts expect 20 with SCP02 and 30 with SCP03.`
        }
        {...codeField}
        {...form.input('newVersion')}
      />
    </FormDialog>
  )
}

/** Whether any keys are typed: those of the card, or new master keys. */
const needsKeys = ({ kind, masterId }: ChangeValues) =>
  kind === 'imported' || (kind === 'derived' && masterId === '')

function Explained({ isFirst, kind }: { isFirst: boolean; kind: KeyTargetKind }) {
  return (
    <>
      <p>
        <Trans>This runs as a job that you can watch:</Trans>
      </p>
      <ol className={styles.explained}>
        <li>
          {kind === 'random' ? (
            <Trans>
              Grove generates three random keys and encrypts them before anything is sent.
            </Trans>
          ) : kind === 'derived' ? (
            <Trans>
              Grove derives three keys from the master keys and the card’s diversification data.
            </Trans>
          ) : (
            <Trans>Grove encrypts the keys that you enter before anything is sent.</Trans>
          )}
        </li>
        <li>
          {isFirst ? (
            <Trans>
              Grove opens a secure channel to the domain with the keys of the domain above it, and
              sends the new ones with PUT KEY, once.
            </Trans>
          ) : (
            <Trans>
              Grove opens a secure channel with the current keys and sends the new ones with PUT
              KEY, once.
            </Trans>
          )}
        </li>
        <li>
          <Trans>Grove authenticates with the new keys. Only then do they take effect.</Trans>
        </li>
      </ol>
      <p>
        {isFirst ? (
          <Trans>
            If power fails meanwhile, the domain has either the new keys or none of its own. Grove
            queries the card once to find out, and never sends PUT KEY twice. Afterwards the domain
            opens with its own keys alone, so whoever has them holds it.
          </Trans>
        ) : (
          <Trans>
            If power fails meanwhile, the card has either the old keys or the new ones, and Grove
            keeps both. It queries the card once to find out, and never sends PUT KEY twice.
          </Trans>
        )}
      </p>
    </>
  )
}

function placesOf(
  sets: readonly KeySet[],
  bareDomains: readonly string[],
  isFirst: boolean,
): Place[] {
  if (!isFirst)
    return sets.map((set) => ({ id: set.id, domain: set.domain, set, protocol: set.protocol }))
  const protocol = (sets.find(({ domain }) => domain === null) ?? sets[0])?.protocol ?? 'SCP03'
  return bareDomains.map((domain) => ({ id: domain, domain, set: undefined, protocol }))
}

function usePlaceText() {
  const { t } = useLingui()
  return ({ domain, set }: Place): string => {
    if (!set) return domain ?? ''
    const version = hexVersion(set.version)
    return domain === null ? version : t`${version}, domain ${domain}`
  }
}

/** A chip's factory keys have the version FF, and new keys are added beside them. */
function newVersionOf(place: Place | undefined): string {
  if (!place?.set) return place?.protocol === 'SCP02' ? '20' : '30'
  const version = hexVersion(place.set.version)
  return version === 'FF' ? '01' : version
}

const keyLengthOf = (place: Place | undefined) => String(place?.set?.keyLength ?? keyLengths.AES[0])

async function send(
  cplc: string,
  place: Place | undefined,
  values: ChangeValues,
  onMaster: (id: string) => void,
) {
  const { kind, diversification, newVersion } = values
  const algorithm = algorithmOf(place)
  const masterId = kind === 'derived' ? await masterOf(values, algorithm, onMaster) : ''
  return api.maple.post('/api/maple/se/keys/rotation', {
    body: {
      cplc,
      ...(place?.domain && { domain: place.domain }),
      ...(place?.set && { version: place.set.version }),
      newVersion: readVersion(newVersion, maxNewVersion) ?? 0,
      target: {
        kind,
        ...(kind === 'random' &&
          algorithm === 'AES' && {
            keyLength: keyLengths.AES.find((bytes) => String(bytes) === values.keyLength),
          }),
        ...(kind === 'derived' && { masterId, diversification }),
        ...(kind === 'imported' && sentKeys(values, algorithm)),
      },
    },
  })
}
