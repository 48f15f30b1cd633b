/* kiln-import-gltf: the program that reads glTF. It is one of its own, since loading the libraries
 * that decompress meshes takes as long as reading a small model. */
#include "serve.h"

int main(int argc, char **argv)
{
    return kiln_serve(&kiln_importer_gltf, argc, argv);
}
