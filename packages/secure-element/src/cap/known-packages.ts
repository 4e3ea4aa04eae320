import { aidMeaning } from '../aid.ts'
import { javaCardOf } from './cap-file.ts'
import type { PackageVersion } from './components.ts'

/** Names of packages beyond those that decoders know, from their owners' public export files. */
const names: Record<string, string> = {
  A000000062020501: 'javacardx.security.cert',
  A000000062020502: 'javacardx.security.derivation',
  A000000062020503: 'javacardx.security.util',
  A000000062020801: 'javacardx.framework.util',
  A00000006202080101: 'javacardx.framework.util.intx',
  A000000062020802: 'javacardx.framework.math',
  A000000062020803: 'javacardx.framework.tlv',
  A000000062020804: 'javacardx.framework.string',
  A000000062020805: 'javacardx.framework.event',
  A000000062020806: 'javacardx.framework.nio',
  A000000062020807: 'javacardx.framework.time',
  A00000015102: 'org.globalplatform.contactless',
  A00000015103: 'org.globalplatform.securechannel',
  A00000015104: 'org.globalplatform.securechannel.provider',
  A00000015105: 'org.globalplatform.privacy',
  A00000015106: 'org.globalplatform.filesystem',
  A00000015107: 'org.globalplatform.upgrade',
  A0000000090003FFFFFFFF8910710001: 'sim.access',
  A0000000090003FFFFFFFF8910710002: 'sim.toolkit',
  A0000000871005FFFFFFFF8913100000: 'uicc.usim.access',
  A0000000871005FFFFFFFF8913200000: 'uicc.usim.toolkit',
  A0000000871005FFFFFFFF8913300000: 'uicc.usim.geolocation',
  A0000000871005FFFFFFFF8913400000: 'uicc.usim.suci',
  A0000000871005FFFFFFFF8914100000: 'uicc.isim.access',
}

/** The name of a package of the Java Card, GlobalPlatform, ETSI or 3GPP API; undefined for others. */
export function packageName(aid: string): string | undefined {
  const meaning = aidMeaning(aid)
  return meaning?.kind === 'name' ? meaning.text : names[aid.toUpperCase()]
}

/** A package for people, such as `javacard.framework 1.6 (Java Card 3.0.5)`. */
export function packageInWords(wanted: PackageVersion): string {
  const javaCard = javaCardOf([wanted])
  const version = `${packageName(wanted.aid) ?? wanted.aid} ${wanted.major}.${wanted.minor}`
  return javaCard === undefined ? version : `${version} (Java Card ${javaCard})`
}
