// Kernels of 64-bit arithmetic, unrolled: hundreds to thousands of instructions, dozens to hundreds of live registers.
// What they cost to compile is measured (BenchmarkCompile).
#include <cstdint>
typedef uint64_t u64; typedef unsigned __int128 u128;
__device__ __forceinline__ u64 ror(u64 x,int k){return (x>>k)|(x<<(64-k));}
// SHA-512: one block a thread
__constant__ u64 K512[80] = {4794697086780616226ull,8158064640168781261ull,13096744586834688815ull,16840607885511220156ull,4131703408338449720ull,6480981068601479193ull,10538285296894168987ull,12329834152419229976ull,15566598209576043074ull,1334009975649890238ull,2608012711638119052ull,6128411473006802146ull,8268148722764581231ull,9286055187155687089ull,11230858885718282805ull,13951009754708518548ull,16472876342353939154ull,17275323862435702243ull,1135362057144423861ull,2597628984639134821ull,3308224258029322869ull,5365058923640841347ull,6679025012923562964ull,8573033837759648693ull,10970295158949994411ull,12119686244451234320ull,12683024718118986047ull,13788192230050041572ull,14330467153632333762ull,15395433587784984357ull,489312712824947311ull,1452737877330783856ull,2861767655752347644ull,3322285676063803686ull,5560940570517711597ull,5996557281743188959ull,7280758554555802590ull,8532644243296465576ull,9350256976987008742ull,10552545826968843579ull,11727347734174303076ull,12113106623233404929ull,14000437183269869457ull,14369950271660146224ull,15101387698204529176ull,15463397548674623760ull,17586052441742319658ull,1182934255886127544ull,1847814050463011016ull,2177327727835720531ull,2830643537854262169ull,3796741975233480872ull,4115178125766777443ull,5681478168544905931ull,6601373596472566643ull,7507060721942968483ull,8399075790359081724ull,8693463985226723168ull,9568029438360202098ull,10144078919501101548ull,10430055236837252648ull,11840083180663258601ull,13761210420658862357ull,14299343276471374635ull,14566680578165727644ull,15097957966210449927ull,16922976911328602910ull,17689382322260857208ull,500013540394364858ull,748580250866718886ull,1242879168328830382ull,1977374033974150939ull,2944078676154940804ull,3659926193048069267ull,4368137639120453308ull,4836135668995329356ull,5532061633213252278ull,6448918945643986474ull,6902733635092675308ull,7801388544844847127ull};
extern "C" __global__ void sha512(const u64* in, u64* out, int n) {
  int i = blockIdx.x*blockDim.x+threadIdx.x; if (i>=n) return;
  u64 w[16], s[8];
  #pragma unroll
  for (int k=0;k<16;k++) w[k]=in[i*16+k];
  #pragma unroll
  for (int k=0;k<8;k++) s[k]=in[k]+k;
  #pragma unroll
  for (int r=0;r<24;r++) {
    if (r>=16) { u64 a=w[(r+1)%16], b=w[(r+14)%16];
      w[r%16]+= w[(r+9)%16] + (ror(a,1)^ror(a,8)^(a>>7)) + (ror(b,19)^ror(b,61)^(b>>6)); }
    u64 a=s[(80-r)%8],b=s[(81-r)%8],c=s[(82-r)%8],e=s[(84-r)%8],f=s[(85-r)%8],g=s[(86-r)%8];
    u64 t=s[(87-r)%8]+(ror(e,14)^ror(e,18)^ror(e,41))+((e&f)^(~e&g))+K512[r]+w[r%16];
    s[(83-r)%8]+=t;
    s[(87-r)%8]=t+(ror(a,28)^ror(a,34)^ror(a,39))+((a&b)^(a&c)^(b&c));
  }
  #pragma unroll
  for (int k=0;k<8;k++) out[i*8+k]=s[k];
}
// Blake2b
extern "C" __global__ void blake2b(const u64* in, u64* out, int n) {
  int i = blockIdx.x*blockDim.x+threadIdx.x; if (i>=n) return;
  u64 m[16], v[16];
  #pragma unroll
  for (int k=0;k<16;k++) { m[k]=in[i*16+k]; v[k]=in[k]^(u64)i*k; }
  const int sg[4][16]={{0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15},{14,10,4,8,9,15,13,6,1,12,0,2,11,7,5,3},{11,8,12,0,5,2,15,13,10,14,3,6,7,1,9,4},{7,9,3,1,13,12,11,14,2,6,5,10,4,0,15,8}};
#define G(a,b,c,d,x,y) v[a]+=v[b]+x; v[d]=ror(v[d]^v[a],32); v[c]+=v[d]; v[b]=ror(v[b]^v[c],24); v[a]+=v[b]+y; v[d]=ror(v[d]^v[a],16); v[c]+=v[d]; v[b]=ror(v[b]^v[c],63);
  #pragma unroll
  for (int r=0;r<4;r++) {
    G(0,4,8,12,m[sg[r][0]],m[sg[r][1]]) G(1,5,9,13,m[sg[r][2]],m[sg[r][3]]) G(2,6,10,14,m[sg[r][4]],m[sg[r][5]]) G(3,7,11,15,m[sg[r][6]],m[sg[r][7]])
    G(0,5,10,15,m[sg[r][8]],m[sg[r][9]]) G(1,6,11,12,m[sg[r][10]],m[sg[r][11]]) G(2,7,8,13,m[sg[r][12]],m[sg[r][13]]) G(3,4,9,14,m[sg[r][14]],m[sg[r][15]])
  }
  #pragma unroll
  for (int k=0;k<8;k++) out[i*8+k]=v[k]^v[k+8];
}
// Montgomery product of numbers of six words of 64 bits
extern "C" __global__ void mont(const u64* in, u64* out, const u64* mod, u64 inv, int n) {
  int i = blockIdx.x*blockDim.x+threadIdx.x; if (i>=n) return;
  u64 a[6], b[6], p[6], t[8]={0};
  #pragma unroll
  for (int k=0;k<6;k++) { a[k]=in[i*12+k]; b[k]=in[i*12+6+k]; p[k]=mod[k]; }
  #pragma unroll
  for (int x=0;x<6;x++) {
    u64 c=0;
    #pragma unroll
    for (int y=0;y<6;y++) { u128 z=(u128)a[y]*b[x]+t[y]+c; t[y]=(u64)z; c=z>>64; }
    u128 z=(u128)t[6]+c; t[6]=(u64)z; t[7]=z>>64;
    u64 m=t[0]*inv; z=(u128)m*p[0]+t[0]; c=z>>64;
    #pragma unroll
    for (int y=1;y<6;y++) { z=(u128)m*p[y]+t[y]+c; t[y-1]=(u64)z; c=z>>64; }
    z=(u128)t[6]+c; t[5]=(u64)z; t[6]=t[7]+(u64)(z>>64);
  }
  u64 d[6], brw=0;
  #pragma unroll
  for (int k=0;k<6;k++) { u128 z=(u128)t[k]-p[k]-brw; d[k]=(u64)z; brw=(z>>64)&1; }
  #pragma unroll
  for (int k=0;k<6;k++) out[i*6+k] = brw ? t[k] : d[k];
}
// N streams of xoroshiro128+ a thread, then a butterfly over them
template<int N> __device__ __forceinline__ void body(const u64* in, u64* out, int n) {
  int i = blockIdx.x*blockDim.x+threadIdx.x; if (i>=n) return;
  u64 a[N];
  #pragma unroll
  for (int k=0;k<N;k++) { u64 z=in[0]+(u64)(i*N+k)*0x9e3779b97f4a7c15ull; z=(z^(z>>30))*0xbf58476d1ce4e5b9ull; a[k]=z^(z>>27); }
  #pragma unroll
  for (int s=1;s<N;s*=2)
    #pragma unroll
    for (int k=0;k<N;k++) if (!(k&s)) { u64 x=a[k]+a[k|s]; a[k|s]=a[k]^(a[k|s]<<13); a[k]=x; }
  #pragma unroll
  for (int k=0;k<N;k++) out[(size_t)k*n+i]=a[k];
}
extern "C" __global__ void big32(const u64* in, u64* out, int n) { body<32>(in,out,n); }
extern "C" __global__ void big64(const u64* in, u64* out, int n) { body<64>(in,out,n); }
extern "C" __global__ void big128(const u64* in, u64* out, int n) { body<128>(in,out,n); }
extern "C" __global__ void big256(const u64* in, u64* out, int n) { body<256>(in,out,n); }
