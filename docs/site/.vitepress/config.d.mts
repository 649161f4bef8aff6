/** The parts of the configuration that tests read. */
declare const site: {
  readonly srcExclude: readonly string[]
  readonly themeConfig: {
    readonly sidebar: readonly { readonly items: readonly { readonly text: string; readonly link: string }[] }[]
  }
}
export default site
