declare module 'des.js' {
  interface Cipher {
    update: (bytes: readonly number[]) => number[]
  }
  interface Options {
    type: 'encrypt' | 'decrypt'
    key: readonly number[]
    padding: boolean
  }
  const des: { EDE: { create: (options: Options) => Cipher } }
  export default des
}
